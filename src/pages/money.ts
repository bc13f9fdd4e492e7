import type { EventEntry } from '../domain/event-entries.ts'
import type { TicketRow } from '../domain/events.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { type Cost, readCost } from '../lib/cost.ts'
import type { Context } from './context.ts'

/** Currencies by sign. A sign of several currencies is shown as it is, so the first of them will do. */
const BY_SIGN: Partial<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₩': 'KRW',
  '₺': 'TRY',
  '₽': 'RUB',
  '₴': 'UAH',
  '₪': 'ILS',
  '₫': 'VND',
  '₱': 'PHP',
  '₦': 'NGN',
  zł: 'PLN',
  Kč: 'CZK',
}
const CODES = new Set(Intl.supportedValuesOf('currency'))

/** Cost of an event by the rules of the reader's language; empty if unknown. Words around an amount stay as they are. */
export function costOf(context: Context, event: EventEntry): string {
  const { cost } = event.row
  if (!event.whole || cost === null) return ''
  const written = writtenIn(context)
  const known = written.get(cost, () => 1)
  if (known !== undefined) return known
  const words = writeCost(context, event)
  if (cost.length <= MAX_KEPT) written.set(cost, words, 1)
  return words
}

/** Costs that were written: many events cost the same. */
type Written = BoundedCache<string, string>

/** By language, locale and currency; and those of a page, so that it looks for them once. */
const writtenBy = new Map<string, Written>()
const writtenOf = new WeakMap<Context, Written>()
/** Limits on the costs that are kept, and on their length. */
const MAX_WRITTEN = 2000
const MAX_KEPT = 200

function writtenIn(context: Context): Written {
  const known = writtenOf.get(context)
  if (known !== undefined) return known
  const form = `${context.language} ${context.locale} ${context.call.scope.site.currency}`
  const found = writtenBy.get(form) ?? new BoundedCache(MAX_WRITTEN)
  writtenBy.set(form, found)
  writtenOf.set(context, found)
  return found
}

function writeCost(context: Context, event: EventEntry): string {
  const { locale, t } = context
  const { text, code, values, isPlain } = costIn(context, event)
  const amounts = values.map(Number).sort((one, other) => one - other)
  const [low = 0, high = low] = [amounts[0], amounts.at(-1)]
  const signed = signedCurrency(context, event)
  const format = formatOf(locale, code || signed, signed)
  if (!isPlain || format === null) return amounts.includes(0) ? text.replace(/^Free\b/, t('free')) : text
  if (high === 0) return t('free')
  if (low === high) return format.format(low)
  return low === 0 ? `${t('free')} – ${format.format(high)}` : format.formatRange(low, high)
}

/** Price of a ticket, in the form of the cost of its event. Without a currency of its own it has that of the site. */
export function priceOf(context: Context, event: EventEntry, { price, currency }: TicketRow): string {
  const { call, locale, t } = context
  if (price === null) return ''
  const amount = Number(price)
  if (amount === 0) return t('free')
  const written = currency ?? call.scope.site.currency
  const format = formatOf(locale, currencyOf(written), signedCurrency(context, event))
  return format?.format(amount) ?? `${written}${new Intl.NumberFormat(locale).format(amount)}`
}

function costIn({ call }: Context, { row }: EventEntry): Cost {
  return readCost(row.cost, call.scope.site.currency)
}

/** The currency that a sign alone means here: that of the event's cost, or else of the site. */
function signedCurrency(context: Context, event: EventEntry): string {
  return currencyOf(costIn(context, event).symbol || context.call.scope.site.currency)
}

/** Code of a currency that is written as a code or sign; empty if unknown. */
function currencyOf(written: string): string {
  return CODES.has(written) ? written : (BY_SIGN[written] ?? '')
}

const formats = new Map<string, Intl.NumberFormat>()

/** Format of amounts; null for an unknown currency. Whole amounts have no decimals. `signed` needs only its sign. */
function formatOf(locale: string, currency: string, signed: string): Intl.NumberFormat | null {
  if (currency === '') return null
  const display = currency === signed ? 'narrowSymbol' : 'symbol'
  const key = `${locale} ${currency} ${display}`
  const options = {
    style: 'currency',
    currency,
    currencyDisplay: display,
    trailingZeroDisplay: 'stripIfInteger',
  } as const
  const found = formats.get(key) ?? new Intl.NumberFormat(locale, options)
  formats.set(key, found)
  return found
}
