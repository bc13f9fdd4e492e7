/** Words of texts at the time of migration 0014, as lib/words.ts made them then. Frozen with the migration. */

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
const MARKS = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu
const INVISIBLE = /\u200c|\u200d|\ufe0e|\ufe0f|\u00ad/g
const RUN = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+/gu
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Extended_Pictographic}'
const PIECE = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const MAX_LETTERS = 64
const GRAM = 3
const MAX_BYTES = 500_000

function folded(text: string): string {
  const plain = text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  if (/^[\0-\x7f]*$/.test(plain)) return plain
  return plain
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .replace(MARKS, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\0-\x7f]/gu, (letter) => LATIN[letter] ?? letter)
}

export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  let bytes = 0
  const plain = folded(text)
  const pieces = /^[\0-\x7f]*$/.test(plain)
    ? (plain.match(/[a-z0-9]+/g) ?? [])
    : (plain.match(RUN) ?? []).flatMap((run) => run.match(PIECE) ?? [])
  for (const piece of pieces) {
    const letters = [...piece]
    const parts = IS_UNSPACED.test(piece)
      ? letters.map((_, at) => letters.slice(at, at + GRAM).join(''))
      : [letters.slice(0, MAX_LETTERS).join('')]
    for (const part of parts) {
      if (words.has(part)) continue
      bytes += Buffer.byteLength(part) + 1
      if (bytes > MAX_BYTES) return [...words]
      words.add(part)
    }
  }
  return [...words]
}

/** Text of sanitized HTML. It has no other entities. */
export function textOf(html: string | null): string {
  return (html ?? '')
    .replace(/<(?:br|\/p|\/div|\/h[1-6]|\/li|\/td|\/th|\/dt|\/dd|\/blockquote|\/figcaption)\b/gi, ' $&')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

const AMOUNT = /\d{1,3}(?:[\s'’]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d(?:[\d.,]*\d)?|(?<![\d.,])[.,]\d+/g

/** Amounts of a cost, as lib/cost.ts found them. */
export function amountsOf(cost: string | null): string[] {
  const text = (cost ?? '').trim()
  if (text.length > 1000) return []
  const free = text.split(/\s*(?:[-–—,;/|]|\b(?:to|and|or)\b)\s*/i).filter((part) => /^free$/i.test(part))
  return [...free.map(() => '0'), ...(text.match(AMOUNT) ?? [])]
}
