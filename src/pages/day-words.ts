import { numberOfDay, twoDigitsAt, weekday, yearOf } from '../calendar/civil.ts'
import type { WallClock } from '../calendar/zone.ts'

/** The parts of a date that have words or numbers of their own. */
const FIELDS = ['weekday', 'day', 'month', 'year'] as const
type Field = (typeof FIELDS)[number]

/** A part of a written date: a field with its words so far, by `keyOf`, or the same text in all dates. */
type Piece = { readonly field: Field; readonly words: Map<number, string> } | string

/**
 * Writes days in the form of a format without times, from the words of their parts that it has written before: to format a
 * day takes ten times as long, and a month has dozens of them.
 */
export class DayWords {
  readonly #format: Intl.DateTimeFormat
  readonly #locale: string
  readonly #isCapitalised: boolean
  /** Null before the first day, and where days cannot be put together: other calendars have months and years of their own. */
  #pieces: readonly Piece[] | null = null

  constructor(format: Intl.DateTimeFormat, locale: string, isCapitalised: boolean) {
    this.#format = format
    this.#locale = locale
    this.#isCapitalised = isCapitalised
  }

  write(wall: WallClock): string {
    return this.#joined(wall) ?? this.#learn(wall)
  }

  /** A day whose parts are all known; else null. */
  #joined(wall: WallClock): string | null {
    if (this.#pieces === null) return null
    let text = ''
    for (const piece of this.#pieces) {
      const words = typeof piece === 'string' ? piece : piece.words.get(keyOf(wall, piece.field))
      if (words === undefined) return null
      text += words
    }
    return text
  }

  #learn(wall: WallClock): string {
    const parts = this.#format.formatToParts(asDate(wall))
    const [first] = parts
    if (first !== undefined && this.#isCapitalised) first.value = capitalised(this.#locale, first.value)
    this.#pieces ??= this.#format.resolvedOptions().calendar === 'gregory' ? piecesOf(parts) : null
    for (const [n, { value }] of parts.entries()) {
      const piece = this.#pieces?.[n]
      if (typeof piece === 'object') piece.words.set(keyOf(wall, piece.field), value)
    }
    return parts.map(({ value }) => value).join('')
  }
}

function piecesOf(parts: readonly Intl.DateTimeFormatPart[]): readonly Piece[] | null {
  const pieces = parts.map(({ type, value }): Piece | null => {
    if (type === 'literal') return value
    const field = FIELDS.find((one) => one === type)
    return field === undefined ? null : { field, words: new Map() }
  })
  const known = pieces.filter((piece) => piece !== null)
  return known.length === pieces.length ? known : null
}

/** What the words of a field depend on. */
function keyOf(wall: WallClock, field: Field): number {
  if (field === 'day') return twoDigitsAt(wall, 8)
  if (field === 'month') return twoDigitsAt(wall, 5)
  if (field === 'year') return yearOf(wall)
  return weekday(numberOfDay(wall))
}

/** Limit on times that are kept. */
const MAX_TIMES = 1000

/** Writes times, and keeps them: a page says the same times many times. */
export class TimeWords {
  readonly #format: Intl.DateTimeFormat
  readonly #isDated: boolean
  readonly #written = new Map<string | number, string>()

  /** `isDated` says that the format has more than the time of the day. */
  constructor(format: Intl.DateTimeFormat, isDated: boolean) {
    this.#format = format
    this.#isDated = isDated
  }

  write(wall: WallClock): string {
    const key = this.#isDated ? wall : timeKey(wall)
    const known = this.#written.get(key)
    if (known !== undefined) return known
    if (this.#written.size >= MAX_TIMES) this.#written.clear()
    const words = this.#format.format(asDate(wall))
    this.#written.set(key, words)
    return words
  }
}

/** The time of the day; not a number for a day without a time. */
function timeKey(wall: WallClock): number {
  return twoDigitsAt(wall, 11) * 3600 + twoDigitsAt(wall, 14) * 60 + twoDigitsAt(wall, 17)
}

/** A wall-clock time or a day, as if it were UTC. */
export function asDate(wall: WallClock): Date {
  return new Date(`${wall.slice(0, 10)}T${wall.slice(11) || '00:00:00'}Z`)
}

export function capitalised(locale: string, words: string): string {
  return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1)
}
