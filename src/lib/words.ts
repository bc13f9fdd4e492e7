import { fold } from './fold.ts'
import { LATIN } from './slug.ts'

/**
 * Words of texts, for a search in which case and accents do not matter. Migration 0014 has a frozen copy of these
 * rules: after a change here, stored words have to be made again.
 */

/** Marks that searches leave out: accents, and the vowel signs of Arabic and Hebrew. */
const MARKS = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}])\p{M}+/gu
/** Characters that only change how others look. */
const INVISIBLE = /\u200c|\u200d|\ufe0e|\ufe0f|\u00ad/g
/** Words of a text in ASCII: found several times as fast. */
const ASCII_RUN = /[a-z0-9]+/g
const RUN = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}]+/gu
/** Scripts that are written without spaces between words. Pictographs are the same: each is a word. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Extended_Pictographic}'
const PIECE = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')

/** Letters of a word that count. */
const MAX_LETTERS = 64
/** Letters of each part of a text without spaces. */
const GRAM = 3
/** Limit on the words of one text, in UTF-8 bytes: PostgreSQL stores at most a megabyte. */
const MAX_BYTES = 500_000
/** Words of a search that count: the longest ones. */
const MAX_SEARCHED = 16

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** Folds a text as slugs are: `Straße` becomes `strasse`, `Øl` becomes `ol`. */
export function foldWords(text: string): string {
  const plain = fold(text)
  // Most texts are ASCII.
  if (isAscii(plain)) return plain
  return plain
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .replace(MARKS, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\0-\x7f]/gu, (letter) => LATIN[letter] ?? letter)
}

/** Pieces of a folded text: words, and runs of a script without spaces. */
function piecesOf(text: string): string[] {
  if (isAscii(text)) return text.match(ASCII_RUN) ?? []
  return (text.match(RUN) ?? []).flatMap((run) => (isAscii(run) ? run : (run.match(PIECE) ?? [])))
}

function lettersOf(piece: string, from: number, count: number): string {
  return [...piece].slice(from, from + count).join('')
}

/** Parts of a run without spaces: one from each letter on, so that any part of the run is the beginning of one. */
function gramsOf(run: string): string[] {
  const letters = [...run]
  return letters.map((_, at) => letters.slice(at, at + GRAM).join(''))
}

/** The different words of a text, as the index stores them, in their order. */
export function wordsOf(text: string): string[] {
  const folded = foldWords(text)
  // Most texts are short and ASCII.
  if (folded.length < MAX_BYTES && isAscii(folded)) return [...new Set(folded.match(ASCII_RUN)?.map(shortened))]
  const words = new Set<string>()
  let bytes = 0
  for (const piece of piecesOf(folded)) {
    const parts = !isAscii(piece) && IS_UNSPACED.test(piece) ? gramsOf(piece) : [shortened(piece)]
    for (const part of parts) {
      if (words.has(part)) continue
      bytes += Buffer.byteLength(part) + 1
      if (bytes > MAX_BYTES) return [...words]
      words.add(part)
    }
  }
  return [...words]
}

/**
 * Words to search for: a text matches if, for each of them, one of its words begins with it. Words that others begin
 * with are left out: they follow from those.
 */
export function searchedWords(search: string): string[] {
  const words = new Set<string>()
  for (const piece of piecesOf(foldWords(search))) {
    if (!IS_UNSPACED.test(piece)) words.add(shortened(piece))
    else if (piece.length <= GRAM || [...piece].length <= GRAM) words.add(piece)
    else for (const gram of gramsOf(piece)) if ([...gram].length === GRAM) words.add(gram)
  }
  // In reverse order of code units, a word comes after those that begin with it.
  const inOrder = [...words].sort().reverse()
  const needed = inOrder.filter((word, at) => at === 0 || !inOrder[at - 1]?.startsWith(word))
  return needed.sort((one, other) => other.length - one.length).slice(0, MAX_SEARCHED)
}

/** Replaces words of a search that has mistakes; all else stays as it was written. */
export function replaceWords(search: string, corrected: ReadonlyMap<string, string>): string {
  return search.replace(RUN, (run) => corrected.get(foldWords(run)) ?? run)
}

/** How a folded word is written in a text; undefined if it is not in it. */
export function spellingIn(text: string, word: string): string | undefined {
  return text.match(RUN)?.find((run) => foldWords(run) === word)
}

function shortened(word: string): string {
  return word.length <= MAX_LETTERS ? word : lettersOf(word, 0, MAX_LETTERS)
}
