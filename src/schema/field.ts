import type { WallClock } from '../calendar/zone.ts'
import type { Problem, Problems } from '../lib/errors.ts'
import type { TimeSlice } from '../lib/time-slices.ts'
import type { JsonSchema } from './json-schema.ts'

/** Context for parsing values. */
export interface ReadContext {
  /** Current wall-clock time, for relative dates such as `tomorrow`. */
  readonly today: WallClock
  /** Limit on `per_page`. */
  readonly maxPerPage?: number
}

/** Value type: accepted input, and how it is parsed. */
export interface ValueType<Value> {
  /** Type in the namespace index. */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  /** JSON Schema of the recommended input. */
  readonly schema: JsonSchema
  /** JSON Schema of other accepted input. */
  readonly accepts?: readonly JsonSchema[]
  /** Parses input. Throws {@link Refused}. */
  read(raw: unknown, reading: ReadContext): Value
}

/** Declaration of a field or parameter. */
export interface Field<Value = unknown> {
  readonly kind: ValueType<Value>
  readonly required?: true
  /** Default for an absent or empty value. */
  readonly default?: Value
  /** Default that depends on the time, as the index shows it. */
  readonly defaultAt?: (today: WallClock) => string
  /** Stored in a column of the same name. */
  readonly stored?: true
  /** Searched by the `search` parameter of the resource. */
  readonly searched?: true
  /** Sample for the documentation. */
  readonly sample?: string | number | boolean
}

/** A field with the key of its description, below `fields.` in `i18n/`. */
export type Described<F extends Field = Field> = F & { readonly text: string }
export type Fields = Record<string, Described>

/** Declares the fields of a resource; their descriptions are the texts `fields.<group>.<name>`. */
export function declare<F extends Record<string, Field>>(
  group: string,
  fields: F,
): { [N in keyof F]: Described<F[N]> } {
  const described = Object.entries(fields).map(([name, field]) => [name, { ...field, text: `${group}.${name}` }])
  return Object.fromEntries(described)
}

/** Fields for an update: none is required, and none has a default. */
export function optional(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { required: _, default: __, ...field }]) => [name, field]),
  )
}

/** Value of a field; null if it was cleared. */
type ValueOf<F extends Field> = F extends { kind: ValueType<infer V> }
  ? F extends { required: true } | { default: V }
    ? V
    : V | null
  : never

/** Parsed values of the fields that were sent. */
export type Values<F> = { [N in keyof F]?: F[N] extends Field ? ValueOf<F[N]> : never }

/** The columns of a resource's stored fields. */
export type Columns<F> = {
  [N in keyof F as F[N] extends { stored: true } ? N : never]: F[N] extends { kind: ValueType<infer V> }
    ? V extends boolean
      ? number
      : F[N] extends { required: true }
        ? V
        : V | null
    : never
}

/** The names of stored fields. */
export type StoredName<F> = { [N in keyof F]: F[N] extends { stored: true } ? N : never }[keyof F] & string

/** The stored fields, in the order of their declaration, without some. */
export function storedEntries<F extends Fields, const X extends string = never>(
  fields: F,
  except: readonly X[] = [],
): [name: Exclude<StoredName<F>, X>, field: Described][] {
  const stored = Object.entries(fields).filter(([name, field]) => field.stored && !except.includes(name as X))
  return stored as [Exclude<StoredName<F>, X>, Described][]
}

/** Thrown for an invalid value. */
export class Refused extends Error {
  readonly problem: Problem
  constructor(problem: string, details: Record<string, string | number | Problems> = {}) {
    super(problem)
    this.problem = { problem, ...details }
  }
}

export interface Read<F> {
  readonly values: Values<F>
  readonly problems: Problems
}

export interface ReadOptions {
  readonly reading: ReadContext
  /** `create`: required fields must be there. `update`: they may be absent. `query`: empty means absent, absent takes the default. */
  readonly mode: 'create' | 'update' | 'query'
}

/**
 * Reads what a request says of the declared fields; all that is wrong with it is found at once, so that callers can add
 * what only they can check before they refuse. Unknown fields are ignored.
 */
export function readFields<F extends Fields>(fields: F, raw: Record<string, unknown>, options: ReadOptions): Read<F> {
  const values: Record<string, unknown> = {}
  const problems: Problems = {}
  for (const [name, field] of entriesOf(fields)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (given === undefined || (options.mode === 'query' && given === '')) {
      if (options.mode === 'query' && field.default !== undefined) values[name] = field.default
      if (options.mode === 'create' && field.required) problems[name] = { problem: 'missing' }
    } else if (isEmpty(given)) {
      if (field.required) problems[name] = { problem: 'empty' }
      else values[name] = field.default ?? null
    } else {
      const made = ahead.get(raw)?.get(name)
      const read = made !== undefined && made.given === given ? made : readValue(field.kind, given, options.reading)
      if ('problem' in read) problems[name] = read.problem
      else values[name] = read.value
    }
  }
  return { values: values as Values<F>, problems }
}

/** The fields of a resource as a list, made once: there are many, and they are the same for every request. */
const entries = new WeakMap<Fields, readonly [name: string, field: Described][]>()

export function entriesOf(fields: Fields): readonly [name: string, field: Described][] {
  const known = entries.get(fields) ?? Object.entries(fields)
  entries.set(fields, known)
  return known
}

/** Result of parsing a value. */
type ReadValue = { readonly given: unknown } & ({ readonly value: unknown } | { readonly problem: Problem })

function readValue(kind: ValueType<unknown>, given: unknown, reading: ReadContext): ReadValue {
  try {
    return { given, value: kind.read(given, reading) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { given, problem: error.problem }
  }
}

/** Values that were parsed in advance, by data object. */
const ahead = new WeakMap<object, Map<string, ReadValue>>()

/** Reuses values that were parsed in advance for a copy of the data. */
export function keepAhead(from: object, to: object): void {
  const values = ahead.get(from)
  if (values !== undefined) ahead.set(to, values)
}

/** Cache of the last very long texts: all occurrences of a series have the same. */
const recent: { readonly kind: ValueType<unknown>; readonly read: ReadValue }[] = []
const MAX_RECENT = 4
const VERY_LONG = 10_000

function readLong(kind: ValueType<unknown>, given: string, reading: ReadContext): ReadValue {
  if (given.length < VERY_LONG) return readValue(kind, given, reading)
  const known = recent.find((one) => one.kind === kind && one.read.given === given)
  if (known !== undefined) return known.read
  const read = readValue(kind, given, reading)
  recent.unshift({ kind, read })
  recent.splice(MAX_RECENT)
  return read
}

/** Texts from this length on may take long to parse, in UTF-16 units. */
const LONG = 500

/**
 * Reads the long texts of data before `readFields` does: making HTML safe takes milliseconds, and a request may hold much
 * of it. Others have their turn in between, and no transaction has begun yet. Answers how long these texts are together.
 */
export async function readAhead(
  fields: Fields,
  raw: Record<string, unknown>,
  { reading, turn, least = LONG }: { readonly reading: ReadContext; readonly turn: TimeSlice; readonly least?: number },
): Promise<number> {
  const values = new Map<string, ReadValue>()
  let length = 0
  for (const [name, { kind }] of entriesOf(fields)) {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (typeof given !== 'string' || given.length < least) continue
    if (turn.isOver) await turn.yield()
    values.set(name, readLong(kind, given, reading))
    length += given.length
  }
  if (values.size > 0) ahead.set(raw, values)
  return length
}

/** Whether input clears an optional field. Forms send `name[]=` for an empty list. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.every((item) => item === null || item === ''))
}
