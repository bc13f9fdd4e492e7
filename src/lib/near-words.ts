/** Words that a search may have meant: one or two slips away. A slip is a letter too many, missing or wrong, or two letters that changed places. */

/** From this length on, two slips are considered. */
export const LONG_WORD = 8
/** Shortest word that is corrected. */
export const SHORTEST = 3

/** Number of slips between two words, or a number above `most`. */
export function slipsBetween(one: string, other: string, most: number): number {
  const [a, b] = [[...one], [...other]]
  if (Math.abs(a.length - b.length) > most) return most + 1
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    if (Math.min(...row) > most) return most + 1
    ;[before, last] = [last, row]
  }
  return last[b.length] ?? 0
}

/** Code points per block of letters. */
const BLOCK = 128
const ASCII = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const LOWER = /^[\p{Ll}\p{Lo}]$/u

const alphabets = new Map<number, readonly string[]>()

/** Letters that may be missing or wrong in a word: those of the alphabets that it is written in. */
function alphabetOf(word: string): string[] {
  const blocks = new Set([...word].map((letter) => Math.floor((letter.codePointAt(0) ?? 0) / BLOCK)))
  return [...blocks].slice(0, 2).flatMap((block) => {
    if (block === 0) return ASCII
    const known =
      alphabets.get(block) ??
      Array.from({ length: BLOCK }, (_, n) => String.fromCodePoint(block * BLOCK + n)).filter((one) => LOWER.test(one))
    alphabets.set(block, known)
    return known
  })
}

/** All texts that are one slip away from a word, without the word itself. */
export function withOneSlip(word: string): string[] {
  const letters = [...word]
  const alphabet = alphabetOf(word)
  const found = new Set<string>()
  for (let at = 0; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at)]
    const [first = '', second = '', ...rest] = after
    if (after.length > 0) found.add(before + after.slice(1).join(''))
    if (after.length > 1) found.add(before + second + first + rest.join(''))
    for (const letter of alphabet) {
      found.add(before + letter + after.join(''))
      if (after.length > 0) found.add(before + letter + after.slice(1).join(''))
    }
  }
  found.delete(word)
  return [...found]
}
