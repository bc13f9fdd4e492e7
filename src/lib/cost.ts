/** What a cost says, taken apart. */
export interface Cost {
  /** How it is shown. */
  readonly text: string
  readonly symbol: string
  readonly position: '' | 'prefix' | 'postfix'
  /** A three-letter code that was found in it. */
  readonly code: string
  /** The amounts, in the order in which they stand, as decimal numbers. */
  readonly values: readonly string[]
}

interface Amount {
  readonly text: string
  readonly value: string
}

interface Unit {
  readonly text: string
  readonly position: '' | 'prefix' | 'postfix'
}

const AMOUNT = /\d(?:[\d.,]*\d)?/g
const BETWEEN = /\s*(?:[-–—,;/|]|\b(?:to|and|or)\b)\s*/i
const CODES = new Set(Intl.supportedValuesOf('currency'))
const CODE = /(?:\b([A-Z]{3})\s?(?=\d)|(?<=\d\s?)([A-Z]{3})\b)/g
const NO_COST: Cost = { text: '', symbol: '', position: '', code: '', values: [] }

/** Reads a cost, which is free text; `currency` is shown with amounts that name none. */
export function readCost(source: string | null, currency: string): Cost {
  const text = (source ?? '').trim()
  if (text === '') return NO_COST
  const amounts = findAmounts(text)
  const symbol = findSymbol(text, currency)
  const code = findCode(text)
  const unit: Unit = symbol.text !== '' ? symbol : code
  return {
    text: show(text, amounts, unit, currency),
    symbol: symbol.text,
    position: symbol.position,
    code: code.text.trim(),
    values: amounts.map((amount) => amount.value),
  }
}

/** Numbers, and the word "free" where a number could stand. */
function findAmounts(text: string): Amount[] {
  const free = text.split(BETWEEN).filter((part) => /^free$/i.test(part))
  const numbers = text.match(AMOUNT) ?? []
  return [
    ...free.map(() => ({ text: '0', value: '0' })),
    ...numbers.map((number) => ({ text: number, value: decimal(number) })),
  ]
}

/**
 * A written number as a decimal one. Of two different separators the last is the decimal one; one that stands several
 * times, or once before exactly three digits, parts thousands.
 */
function decimal(number: string): string {
  const separators = number.match(/[.,]/g) ?? []
  const last = separators.at(-1)
  if (last === undefined) return number
  const fraction = number.slice(number.lastIndexOf(last) + 1)
  const lone = separators.length === 1
  const thousands = lone
    ? fraction.length === 3 && !number.startsWith('0')
    : separators.every((separator) => separator === last)
  const whole = number.slice(0, number.lastIndexOf(last)).replace(/[.,]/g, '')
  return thousands ? whole + fraction : `${whole}.${fraction}`
}

/** A currency sign beside a number, and the side it stands on. */
function findSymbol(text: string, currency: string): Unit {
  const sign = currency === '' ? '\\p{Sc}' : `(?:\\p{Sc}|${RegExp.escape(currency)})`
  const prefix = new RegExp(`(${sign})\\s?\\d`, 'u').exec(text)?.[1]
  if (prefix !== undefined) return { text: prefix, position: 'prefix' }
  const postfix = new RegExp(`\\d\\s?(${sign})`, 'u').exec(text)?.[1]
  return postfix === undefined ? { text: '', position: '' } : { text: postfix, position: 'postfix' }
}

/** A currency's three-letter code beside a number, with the space that parts them. */
function findCode(text: string): Unit {
  for (const [, before, behind] of text.matchAll(CODE)) {
    if (before !== undefined && CODES.has(before)) return { text: `${before} `, position: 'prefix' }
    if (behind !== undefined && CODES.has(behind)) return { text: ` ${behind}`, position: 'postfix' }
  }
  return { text: '', position: '' }
}

function show(text: string, amounts: readonly Amount[], unit: Unit, currency: string): string {
  const [first] = amounts
  if (first === undefined) return text
  if (amounts.length > 1) {
    const inOrder = [...amounts].sort((one, other) => Number(one.value) - Number(other.value))
    const [low = first, high = first] = [inOrder[0], inOrder.at(-1)]
    return `${withUnit(low, unit, currency)} – ${withUnit(high, unit, currency)}`
  }
  // Words around a single amount say more than the amount does.
  const bare = text.replace(first.text, '').replace(unit.text.trim(), '').trim()
  return bare === '' || /^free$/i.test(text) ? withUnit(first, unit, currency) : text
}

function withUnit({ text, value }: Amount, unit: Unit, currency: string): string {
  if (Number(value) === 0) return 'Free'
  if (unit.position === 'postfix') return text + unit.text
  return (unit.position === 'prefix' ? unit.text : currency) + text
}
