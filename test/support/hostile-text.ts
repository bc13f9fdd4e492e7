import fc, { CHARACTER } from './property.ts'

const PARTS = [
  '\n',
  '\\',
  ';',
  ',',
  ':',
  '"',
  '^',
  "^'",
  '^n',
  '\\n',
  ' ',
  '\t',
  '👩‍👩‍👧',
  'שלום',
  'مرحبا',
  'é',
  'e\u0301',
]
const ENTRIES = ['END:VEVENT', '\r\nBEGIN:VEVENT']

/** Text with everything that may go wrong: separators, quotes, line breaks, emoji, right-to-left, long runs, other entries. */
export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PARTS, ...ENTRIES),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: CHARACTER, maxLength: 40 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))

/** What stays of a text: RFC 5545 has no control characters, and one kind of line break. */
export function keptText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n|[\n\r\u0085\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters that are removed
      .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  )
}
