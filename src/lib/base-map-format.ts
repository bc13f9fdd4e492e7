/** Format of web/map/land.txt, which scripts/generate-map.ts writes. */

/** Levels of detail, from coarse to fine: side of a cell and unit of its numbers, in degrees. */
export const LEVELS = [
  { size: 60, unit: 0.05 },
  { size: 10, unit: 0.01 },
  { size: 2, unit: 0.002 },
] as const

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'
const VALUES = new Int8Array(128)
for (let n = 0; n < DIGITS.length; n++) VALUES[DIGITS.charCodeAt(n)] = n

/** Whole numbers as text: five bits a character, the lowest first, and one bit if more follow. The lowest bit is the sign. */
export function encodeNumbers(numbers: readonly number[]): string {
  let text = ''
  for (const number of numbers) {
    let rest = number < 0 ? -2 * number - 1 : 2 * number
    for (; rest > 31; rest = Math.floor(rest / 32)) text += DIGITS.charAt(32 + (rest % 32))
    text += DIGITS.charAt(rest)
  }
  return text
}

export function decodeNumbers(text: string): number[] {
  const numbers: number[] = []
  let number = 0
  let shift = 0
  for (let n = 0; n < text.length; n++) {
    const digit = VALUES[text.charCodeAt(n)] ?? 0
    number += (digit & 31) << shift
    shift += 5
    if (digit > 31) continue
    numbers.push(number & 1 ? -(number + 1) / 2 : number / 2)
    number = 0
    shift = 0
  }
  return numbers
}
