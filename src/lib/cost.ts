import { BoundedCache } from './bounded-cache.ts'

/** A parsed cost. */
export interface Cost {
  /** Display text. */
  readonly text: string
  readonly symbol: string
  readonly position: '' | 'prefix' | 'postfix'
  /** ISO 4217 code found in it. */
  readonly code: string
  /** Amounts in order of appearance, as decimal numbers. */
  readonly values: readonly string[]
  /** Whether it has amounts and nothing else, so that it may be written in another form. */
  readonly isPlain: boolean
}

interface Amount {
  readonly text: string
  readonly value: string
}

interface Unit {
  readonly text: string
  readonly position: '' | 'prefix' | 'postfix'
}

/** Spaces and apostrophes may group thousands, too. The digit before a decimal separator may be absent. */
const AMOUNT = /\d{1,3}(?:[\s'’]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d(?:[\d.,]*\d)?|(?<![\d.,])[.,]\d+/g
const SEPARATOR = /\s*(?:[-–—,;/|]|\b(?:to|and|or)\b)\s*/i
const CODES = new Set(Intl.supportedValuesOf('currency'))
const CODE = /(?<![A-Za-z])([A-Z]{3})(?![A-Za-z])/g
const NO_COST: Cost = { text: '', symbol: '', position: '', code: '', values: [], isPlain: false }

/** Limit on the length of a cost that is parsed, in characters. Five times the limit of the field. */
const MAX_LENGTH = 1000

/** Cache of parsed costs: an event shows its own several times, and many events cost the same. */
const cache = new BoundedCache<string, Cost>(2000)

/** Parses a cost, which is free text. `currency` is shown with amounts that name none. */
export function readCost(source: string | null, currency: string): Cost {
  const text = (source ?? '').trim()
  if (text === '') return NO_COST
  if (text.length > MAX_LENGTH) return { ...NO_COST, text: text.slice(0, MAX_LENGTH).toWellFormed() }
  const key = `${currency} ${text}`
  let cost = cache.get(key, () => 1)
  if (cost === undefined) {
    cost = parseCost(text, currency)
    cache.set(key, cost, 1)
  }
  return cost
}

/** A cost as it was written. Damaged ones may be longer than the field allows. */
export function writtenCost(source: string | null): string {
  return (source ?? '').slice(0, MAX_LENGTH).toWellFormed()
}

function parseCost(text: string, currency: string): Cost {
  const amounts = findAmounts(text)
  const symbol = findSymbol(text, currency)
  const code = findCode(text)
  const unit: Unit = symbol.text !== '' ? symbol : code
  return {
    ...formatCost(text, amounts, unit, currency),
    symbol: symbol.text,
    position: symbol.position,
    code: code.text.trim(),
    values: amounts.map((amount) => amount.value),
  }
}

/** Numbers, and the word "free" in the place of a number. */
function findAmounts(text: string): Amount[] {
  const free = text.split(SEPARATOR).filter((part) => /^free$/i.test(part))
  const numbers = text.match(AMOUNT) ?? []
  return [
    ...free.map(() => ({ text: '0', value: '0' })),
    ...numbers.map((number) => ({ text: number, value: decimal(number) })),
  ]
}

/**
 * Normalizes a number. Of two different separators the last is the decimal one. A separator that occurs several times,
 * or once before exactly three digits, groups thousands.
 */
function decimal(written: string): string {
  const number = written.replace(/[\s'’]/g, '')
  const separators = number.match(/[.,]/g) ?? []
  const last = separators.at(-1)
  if (last === undefined) return number
  const fraction = number.slice(number.lastIndexOf(last) + 1)
  const isSingle = separators.length === 1
  const thousands = isSingle
    ? fraction.length === 3 && !number.startsWith('0')
    : separators.every((separator) => separator === last)
  const whole = number.slice(0, number.lastIndexOf(last)).replace(/[.,]/g, '')
  return thousands ? whole + fraction : `${whole || '0'}.${fraction}`
}

/** A currency sign next to a number, and its side. */
function findSymbol(text: string, currency: string): Unit {
  const sign = currency === '' ? '\\p{Sc}' : `(?:\\p{Sc}|${RegExp.escape(currency)})`
  const prefix = new RegExp(`(${sign})\\s?[.,]?\\d`, 'u').exec(text)?.[1]
  if (prefix !== undefined) return { text: prefix, position: 'prefix' }
  const postfix = new RegExp(`\\d\\s?(${sign})`, 'u').exec(text)?.[1]
  return postfix === undefined ? { text: '', position: '' } : { text: postfix, position: 'postfix' }
}

/** ISO 4217 code, with the space between it and the number. */
function findCode(text: string): Unit {
  const found = [...text.matchAll(CODE)].filter(([, code = '']) => CODES.has(code))
  const before = found.find(({ index }) => /^...\s?\d/.test(text.slice(index)))?.[1]
  if (before !== undefined) return { text: `${before} `, position: 'prefix' }
  const code = found[0]?.[1]
  return code === undefined ? { text: '', position: '' } : { text: ` ${code}`, position: 'postfix' }
}

function formatCost(
  text: string,
  amounts: readonly Amount[],
  unit: Unit,
  currency: string,
): Pick<Cost, 'text' | 'isPlain'> {
  const [first] = amounts
  if (first === undefined) return { text, isPlain: false }
  if (amounts.length > 1) {
    const inOrder = [...amounts].sort((one, other) => Number(one.value) - Number(other.value))
    const [low = first, high = first] = [inOrder[0], inOrder.at(-1)]
    const [least, most] = [withUnit(low, unit, currency), withUnit(high, unit, currency)]
    return { text: low.value === high.value ? least : `${least} – ${most}`, isPlain: true }
  }
  // Keep the words around a single amount.
  const bare = text.replace(first.text, '').replace(unit.text.trim(), '').trim()
  const isPlain = bare === '' || /^free$/i.test(text)
  return { text: isPlain ? withUnit(first, unit, currency) : text, isPlain }
}

function withUnit({ text, value }: Amount, unit: Unit, currency: string): string {
  if (Number(value) === 0) return 'Free'
  if (unit.position === 'postfix') return text + unit.text
  return (unit.position === 'prefix' ? unit.text : currency) + text
}
