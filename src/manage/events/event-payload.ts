import type { Event } from '../../domain/events.ts'
import { patternOf } from '../../domain/series-pattern.ts'
import { LINKED_KINDS, type LinkedKind } from '../../schema/linked.ts'
import { isAsOpened, takenFields } from '../conflict.ts'
import { imagePayload } from '../image-field.ts'
import { comparable, FLAGS, PLAIN, TICKET_FIELDS } from './event-values.ts'
import { isUnchanged, recurrenceOf, sayRecurrence } from './repeat-values.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether there is a record with exactly this name. */
type IsKnown = (kind: LinkedKind, name: string) => Promise<boolean>

/** Fields of the form as a request to the domain, which reads and checks them like those of the REST interface. */
export async function payloadOf(
  fields: Fields,
  before: Event | null,
  now: number,
  isKnown: IsKnown,
): Promise<Record<string, unknown>> {
  const taken = takenFields(fields)
  const payload: Record<string, unknown> = {}
  const set = (name: string, value: unknown) => {
    if (!taken.has(name)) payload[name] = value
  }
  for (const name of PLAIN) if (fields[name] !== undefined) set(name, fields[name])
  // A form without this field names only what it changes: absent checkboxes say nothing.
  if (fields.flags !== undefined) for (const flag of FLAGS) set(flag, fields[flag] !== undefined)
  else for (const flag of FLAGS) if (fields[flag] !== undefined) set(flag, fields[flag])
  for (const name of ['categories', 'tags']) if (fields[name] !== undefined) set(name, termNames(fields[name]))
  for (const kind of LINKED_KINDS)
    if (fields[kind] !== undefined) set(kind, await linksOf(kind, fields, before, isKnown))
  if (fields.tickets !== undefined) set('tickets', ticketsOf(fields.tickets))
  const repeated = sentRecurrence(fields, before)
  if (repeated !== undefined) set('recurrence', repeated)
  setStatus(payload, fields, taken, before, now)
  const image = imagePayload(fields, before?.image ?? null)
  if (image !== undefined) set('image', image)
  if (fields.remove_password) payload.password = ''
  else if (fields.password) payload.password = fields.password
  return payload
}

/** The recurrence of the form; undefined if it is the one that the event has. */
function sentRecurrence(fields: Fields, before: Event | null): unknown {
  const series = before?.series ?? null
  if (series === null) return recurrenceOf(fields) ?? undefined
  const { start_local: start, timezone } = series
  if (isUnchanged(fields, patternOf(series), start, timezone)) return undefined
  // Somebody else may have changed the series meanwhile, as by removing another event of it.
  if (isAsOpened(String(fields.fingerprint ?? ''), 'recurrence', sayRecurrence(recurrenceOf(fields)))) return undefined
  // Those that follow begin with this event; all of them with the first.
  return recurrenceOf(fields.scope === 'following' ? fields : { ...fields, start_date: start })
}

/** A request without the fields that stand in the form as they are stored. */
export function withoutUnchanged(
  payload: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, string>>,
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  // Checkboxes that are off are not sent.
  const off = typed.flags === undefined ? {} : Object.fromEntries(FLAGS.map((flag) => [flag, '']))
  const [had, has] = [comparable(stored), comparable({ ...stored, ...off, ...typed })]
  const isSame = (name: string) => name !== 'recurrence' && name in had && had[name] === has[name]
  const isScheduled = typed.status === 'future' && typed.date !== stored.date
  return Object.fromEntries(
    Object.entries(payload).filter(([name]) => {
      if (name === 'status' || name === 'date') return isScheduled || !isSame('status')
      return !isSame(name)
    }),
  )
}

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** Names of terms: with commas between them, or one by one. */
function termNames(given: unknown): unknown {
  if (typeof given !== 'string') return given
  return given
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter(Boolean)
}

/**
 * Venues or organizers by their names. One that the event has already is that one; others are found, or made. Semicolons
 * separate names. So does a comma, unless the whole text is the name of one.
 */
async function linksOf(kind: LinkedKind, fields: Fields, before: Event | null, isKnown: IsKnown): Promise<unknown> {
  const given = fields[kind]
  const texts = (Array.isArray(given) ? given : [given]).flatMap((text) =>
    typeof text === 'string' ? text.split(/[;\n]/) : [text],
  )
  const known = new Map((before?.[`${kind}s`] ?? []).map(({ row }) => [String(row[kind]), row.id]))
  const names: unknown[] = []
  for (const text of texts.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '')) {
    const isOne = typeof text !== 'string' || kind === 'venue' || !text.includes(',') || known.has(text)
    if (isOne || (await isKnown(kind, text))) names.push(text)
    else
      names.push(
        ...text
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      )
  }
  const details = Object.entries(asFields(fields[`new_${kind}`])).filter(([, value]) => value !== '')
  return names.map((name, at) => {
    const id = typeof name === 'string' ? known.get(name) : undefined
    if (id !== undefined) return id
    return typeof name === 'string' ? { [kind]: name, ...(at === 0 && Object.fromEntries(details)) } : name
  })
}

/** Rows of tickets in which something stands. */
function ticketsOf(given: unknown): unknown {
  const rows = Array.isArray(given) ? given : Object.values(asFields(given))
  return rows
    .map((row) =>
      Object.fromEntries(TICKET_FIELDS.flatMap((name) => (asFields(row)[name] ? [[name, asFields(row)[name]]] : []))),
    )
    .filter((row) => Object.keys(row).some((name) => name !== 'id' && name !== 'currency'))
}

/** “Publish” means now, also for an event that was scheduled; “schedule” needs a time. */
function setStatus(
  payload: Record<string, unknown>,
  fields: Fields,
  taken: ReadonlySet<string>,
  before: Event | null,
  now: number,
): void {
  const { status, date } = fields
  if (status === undefined || taken.has('status')) return
  payload.status = status
  if (status === 'future') payload.date = date
  else if (status === 'publish' && before !== null && before.row.date_utc > now) payload.date_utc = now
}
