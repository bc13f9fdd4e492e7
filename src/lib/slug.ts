/** The longest slug, in bytes. */
export const SLUG_BYTES = 200

/** What a trashed record's slug ends in, so that the slug itself is free again. */
export const TRASHED_SUFFIX = '__trashed'

const LATIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ŧ: 't',
  ſ: 's',
  ĳ: 'ij',
  ŉ: 'n',
}

const LATIN_LETTER_WITH_MARKS = /(\p{Script=Latin})\p{M}+/gu
const SEPARATORS = /[\s/.\-\u2010-\u2015]+/gu
const NOT_KEPT = /[^\p{L}\p{N}\p{M}_-]+/gu

/** Makes a slug of a title, or cleans one that a client gave; the empty text when nothing in it can be kept. */
export function slugify(text: string): string {
  // What is not kept goes before the marks do: a mark behind it may come to stand on a letter.
  const plain = decode(text)
    .normalize('NFD')
    .toLowerCase()
    .replace(SEPARATORS, '-')
    .replace(NOT_KEPT, '')
    .replace(LATIN_LETTER_WITH_MARKS, '$1')
    .normalize('NFC')
    .replace(/[^\0-\x7f]/gu, (letter) => LATIN[letter] ?? letter)
    .replace(/-+/g, '-')
  return trimDashes(fit(plain, SLUG_BYTES))
}

/** Whether a text is a slug as it stands, in either of its forms. */
export function isSlug(text: string): boolean {
  return decode(slugify(text)) === decode(text).normalize('NFC')
}

/** `slug` with something behind it, shortened so that both together still fit. */
export function withSuffix(slug: string, suffix: string): string {
  return slug.length + suffix.length <= SLUG_BYTES ? slug + suffix : cut(slug, SLUG_BYTES - suffix.length) + suffix
}

/** The slug as people read it, with other scripts' letters in place of their percent signs. */
function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Percent-encodes what is not ASCII, one whole letter at a time, while it fits. */
function fit(text: string, bytes: number): string {
  let slug = ''
  for (const letter of text) {
    const encoded = letter < '\x80' ? letter : encodeURIComponent(letter).toLowerCase()
    if (slug.length + encoded.length > bytes) break
    slug += encoded
  }
  return slug
}

/** Shortens an encoded slug without cutting through one of its letters. */
function cut(slug: string, bytes: number): string {
  return trimDashes(fit(decode(slug), bytes))
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
