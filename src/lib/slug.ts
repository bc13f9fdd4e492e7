/** Limit on a slug, in bytes. */
export const SLUG_BYTES = 200

/** Suffix of a trashed record's slug, which frees the slug itself. */
export const TRASHED_SUFFIX = '__trashed'

/** Latin letters without a decomposition, and their spelling in ASCII. */
export const LATIN: Readonly<Record<string, string>> = {
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
const DISALLOWED = /[^\p{L}\p{N}\p{M}_-]+/gu

/** Makes a slug from a title, or cleans a given one. Returns an empty string if no character is allowed. */
export function slugify(text: string): string {
  // Disallowed characters are removed before marks: a mark after one may then follow a letter.
  const plain = decode(text)
    .normalize('NFD')
    .toLowerCase()
    .replace(SEPARATORS, '-')
    .replace(DISALLOWED, '')
    .replace(LATIN_LETTER_WITH_MARKS, '$1')
    .normalize('NFC')
    .replace(/[^\0-\x7f]/gu, (letter) => LATIN[letter] ?? letter)
    .replace(/-+/g, '-')
  return trimDashes(encodeWithin(plain, SLUG_BYTES))
}

/** Whether a text is a valid slug, encoded or decoded. */
export function isSlug(text: string): boolean {
  return decode(slugify(text)) === decode(text).normalize('NFC')
}

/** Appends a suffix, and shortens the slug so that both fit. */
export function withSuffix(slug: string, suffix: string): string {
  return slug.length + suffix.length <= SLUG_BYTES ? slug + suffix : shorten(slug, SLUG_BYTES - suffix.length) + suffix
}

/** Decodes percent-encoded letters of other scripts. */
function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Percent-encodes non-ASCII letters, and truncates at a whole letter. */
function encodeWithin(text: string, bytes: number): string {
  let slug = ''
  for (const letter of text) {
    const encoded = letter < '\x80' ? letter : encodeURIComponent(letter).toLowerCase()
    if (slug.length + encoded.length > bytes) break
    slug += encoded
  }
  return slug
}

/** Shortens an encoded slug at a whole letter. */
function shorten(slug: string, bytes: number): string {
  return trimDashes(encodeWithin(decode(slug), bytes))
}

function trimDashes(text: string): string {
  return text.replace(/^-+|-+$/g, '')
}
