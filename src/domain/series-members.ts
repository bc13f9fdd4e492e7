import { isDeepStrictEqual } from 'node:util'
import { inOrder } from '../calendar/pattern.ts'
import type { WallClock } from '../calendar/zone.ts'
import { eventFields } from '../schema/event.ts'
import { isLinkedKind, LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import type { Parts } from './event-assembly.ts'
import { asEvent, type Request, write } from './event-writing.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { patternColumns, patternOf } from './series-pattern.ts'
import { type EventParts, partsOf, readTemplate, timesAt } from './series-template.ts'

/** Occurrences that are changed or removed by themselves. */

/** Names of the fields in which an occurrence differs from its series by hand. */
export function ownFields({ own_fields }: Pick<EventRow, 'own_fields'>): Set<string> {
  return new Set<string>(own_fields === null ? [] : JSON.parse(own_fields))
}

export function ownColumn(fields: Iterable<string>): string | null {
  const names = [...new Set(fields)].sort()
  return names.length === 0 ? null : JSON.stringify(names)
}

/** Columns of fields whose column has another name. */
export const COLUMN_OF: Record<string, keyof EventRow> = {
  start_date: 'start_local',
  end_date: 'end_local',
  timezone: 'timezone',
  author: 'author',
  date: 'date_utc',
  image: 'image',
  password: 'password_hash',
  status: 'status',
}
const COMPARED: readonly (readonly [string, keyof EventRow])[] = [
  ...records.storedColumnNames(eventFields).map((name) => [name, name as keyof EventRow] as const),
  ...Object.entries(COLUMN_OF),
]

/** Names of the fields that a write has changed, but its slug and parent. */
export function changedFields(before: EventRow, after: EventRow, had: EventParts, has: EventParts): string[] {
  const columns = COMPARED.filter(([, column]) => before[column] !== after[column]).map(([name]) => name)
  const linked = LINKED_KINDS.filter((kind) => !isDeepStrictEqual(had.linked[kind], has.linked[kind]))
  const isOther = (kind: 'category' | 'tag') =>
    !isDeepStrictEqual(had.terms[kind].toSorted(), has.terms[kind].toSorted())
  return [
    ...columns,
    ...linked,
    ...(isOther('category') ? ['categories'] : []),
    ...(isOther('tag') ? ['tags'] : []),
    ...(isDeepStrictEqual(had.tickets, has.tickets) ? [] : ['tickets']),
  ]
}

/** An occurrence after a write, the fields that changed, and what it is linked to. */
interface Compared {
  readonly row: EventRow
  readonly changed: readonly string[]
  readonly has: EventParts
}

/** Writes an occurrence, and finds the fields that changed. */
export async function writeCompared(tx: Tx, scope: Scope, request: Request, before: EventRow): Promise<Compared> {
  const had = await partsOf(tx, before.id)
  const { row } = await write(tx, scope, request, before)
  const has = await partsOf(tx, before.id)
  return { row, changed: changedFields(before, row, had, has), has }
}

/** Creates or updates one event. An occurrence of a series then differs from it. */
export async function writeOne(
  tx: Tx,
  scope: Scope,
  request: Request,
  before: EventRow | null,
): Promise<{ row: EventRow; parts: Partial<Parts> }> {
  if (before === null || before.series === null) return write(tx, scope, request, before)
  return { row: await settle(tx, scope, before, await writeCompared(tx, scope, request, before)), parts: {} }
}

/** Stores what an occurrence has of its own after a change. Into the trash means an exception, and out of it none. */
async function settle(tx: Tx, scope: Scope, before: EventRow, { row, changed, has }: Compared): Promise<EventRow> {
  const isOfTrash = before.status === 'trash' || row.status === 'trash'
  const series = row.series === null ? undefined : await storage.get(tx, row.series)
  const isBack = series === undefined ? () => false : equalsSeries(series, row, has)
  const names = [...ownFields(before), ...changed.filter((name) => name !== 'status' || !isOfTrash)]
  // Times go together: an hour that is changed back leaves another one as it is.
  const isChanged = (name: string) => changed.includes(name) || (isTimeField(name) && changed.some(isTimeField))
  const own = ownColumn(names.filter((name) => !isChanged(name) || !isBack(name)))
  if (row.status === 'trash' && before.status !== 'trash') await addException(tx, scope, row)
  if (row.status !== 'trash' && before.status === 'trash') await removeException(tx, scope, row)
  if (own === before.own_fields) return row
  await recordStorage.update(tx, 'event', row.id, { own_fields: own })
  return asEvent(await records.find(tx, 'event', { id: row.id }, 'no reader: write'))
}

/** Whether a field of an occurrence is that of its series. */
function equalsSeries(series: SeriesRow, row: EventRow, has: EventParts): (name: string) => boolean {
  const template = readTemplate(series)
  const times = timesAt(series, row.original_start ?? row.start_local, template.columns.all_day === 1)
  const columns: Partial<EventRow> = { ...template.columns, ...times, author: series.author }
  const isAt = TIMES.every((name) => row[COLUMN_OF[name] ?? 'all_day'] === columns[COLUMN_OF[name] ?? 'all_day'])
  return (name) => {
    if (isTimeField(name)) return isAt
    if (isLinkedKind(name)) return isDeepStrictEqual(has.linked[name], template.linked[name])
    if (name === 'categories' || name === 'tags') {
      const kind = name === 'tags' ? 'tag' : 'category'
      return isDeepStrictEqual(has.terms[kind].toSorted(), template.terms[kind].toSorted())
    }
    if (name === 'tickets') return isDeepStrictEqual(has.tickets, template.tickets)
    const column = COLUMN_OF[name] ?? (name as keyof EventRow)
    return row[column] === columns[column]
  }
}

/** Fields that say when an event takes place. They move together. */
const TIMES = ['start_date', 'end_date', 'timezone', 'all_day']

export function isTimeField(name: string): boolean {
  return TIMES.includes(name)
}

/** Whether no occurrence of a series comes before this one. */
export async function isFirst(tx: Tx, series: SeriesRow, { id, original_start }: EventRow): Promise<boolean> {
  if (id === series.id || original_start === null) return true
  const first = await storage.firstStart(tx, series.id)
  return first === null || original_start <= first
}

/** Removes a series that has no occurrence and gets none. */
export async function dropIfEmpty(tx: Tx, id: number): Promise<void> {
  const series = await storage.get(tx, id)
  if (series?.made_until === null && (await storage.firstStart(tx, id)) === null) await storage.remove(tx, id)
}

/** Leaves an occurrence out of its series. */
export async function addException(
  tx: Tx,
  scope: Scope,
  { series: id, original_start: start }: EventRow,
): Promise<void> {
  await changeExceptions(tx, scope, id, start, (except, at) => inOrder([...except, at]))
}

export async function removeException(
  tx: Tx,
  scope: Scope,
  { series: id, original_start: start }: EventRow,
): Promise<void> {
  await changeExceptions(tx, scope, id, start, (except, at) => except.filter((one) => one !== at))
}

async function changeExceptions(
  tx: Tx,
  scope: Scope,
  id: number | null,
  start: WallClock | null,
  change: (except: readonly WallClock[], at: WallClock) => readonly WallClock[],
): Promise<void> {
  const series = id === null ? undefined : await storage.getLocked(tx, id)
  if (series === undefined || start === null) return
  const pattern = patternOf(series)
  const except = change(pattern.except, start)
  if (except.length === pattern.except.length) return
  await storage.update(tx, series.id, {
    ...patternColumns({ ...pattern, except }),
    ...touched(scope, series),
    ...(series.occurrences !== null && {
      occurrences: series.occurrences + (pattern.except.length - except.length),
    }),
  })
}

/** Time and number of a change of a series: the number is later than that of any change before. */
export function touched({ clock }: Pick<Scope, 'clock'>, { sequence }: Pick<SeriesRow, 'sequence'>) {
  const now = clock()
  return { modified_utc: now, sequence: Math.max(sequence + 1, now - FIRST_SEQUENCE) }
}

/** Numbers of changes are seconds since 2020, as those of events are. */
const FIRST_SEQUENCE = 1_577_836_800

/** Times and pattern of a stored series. */
export function timesOf(series: SeriesRow) {
  return { ...series, allDay: readTemplate(series).columns.all_day === 1 }
}

/** Columns of an event that is in no series. */
export const DETACHED = { series: null, original_start: null, own_fields: null, parent: null }
