import { byLinkedKind } from '../schema/linked.ts'
import type { RecurrenceValue } from '../schema/recurrence.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import { mayEdit, need } from './access.ts'
import { assembleOne, type Event } from './event-assembly.ts'
import { asEvent, type Request, write } from './event-writing.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { copyFields, moveTermCounts } from './series-copies.ts'
import {
  addException,
  COLUMN_OF,
  DETACHED,
  dropIfEmpty,
  isFirst,
  isTimeField,
  ownColumn,
  ownFields,
  timesOf,
  touched,
  writeCompared,
  writeOne,
} from './series-members.ts'
import {
  findOccurrences,
  isShownPattern,
  occurrencesOf,
  patternColumns,
  patternOf,
  refuseRecurrence,
  resolvePattern,
} from './series-pattern.ts'
import { addOccurrences, removeGone, replan } from './series-planning.ts'
import type { Reach, SeriesReport, SeriesScope } from './series-reach.ts'
import { seriesIdFor, splitSeries } from './series-splitting.ts'
import { copyStatus } from './series-status.ts'
import { columnsOf, readTemplate, type Template, templateOf, timesAt } from './series-template.ts'

/** Creates an event and, with a recurrence, its series. */
export async function createEvent(tx: Tx, scope: Scope, request: Request, { report }: Reach): Promise<Event> {
  const { row, parts } = await write(tx, scope, request, null)
  if (!request.values.recurrence) {
    report.created.push({ start_date: row.start_local })
    return assembleOne(tx, scope, row, parts)
  }
  const first = await beginSeries(tx, scope, row, request, report)
  report.created.unshift({ start_date: first.start_local })
  return assembleOne(tx, scope, first)
}

/** Updates an event, or as much of its series as the request reaches. */
export async function updateEvent(
  tx: Tx,
  scope: Scope,
  request: Request,
  before: EventRow,
  reach: Reach,
): Promise<Event> {
  return assembleOne(tx, scope, await updateRow(tx, scope, request, before, reach))
}

async function updateRow(tx: Tx, scope: Scope, request: Request, before: EventRow, reach: Reach): Promise<EventRow> {
  const series = before.series === null ? undefined : await storage.getLocked(tx, before.series)
  const asked = series === undefined ? SINGLE : await askedOf(tx, request, series, before, reach.scope)
  if (series === undefined || asked.scope === 'this') {
    const { row } = await writeOne(tx, scope, request, before)
    reach.report.changed.push({ id: row.id, start_date: row.start_local })
    if (asked.isEnded) return detach(tx, scope, row)
    return series === undefined && request.values.recurrence ? beginSeries(tx, scope, row, request, reach.report) : row
  }
  if (asked.scope === 'all') return changeAll(tx, scope, request, before, series, asked, reach.report)
  const { rest, row } = await splitSeries(tx, scope, series, before)
  const askedOfRest = await askedOf(tx, request, rest, row, 'all')
  const changed = await changeAll(tx, scope, request, row, rest, askedOfRest, reach.report)
  await addInView(tx, scope, changed, reach.report)
  return changed
}

/** Makes the occurrences that are in view since a series begins with this event. */
async function addInView(tx: Tx, scope: Scope, { id, series: of }: EventRow, report: SeriesReport): Promise<void> {
  const series = of === null ? undefined : await storage.get(tx, of)
  if (series === undefined || series.made_until === null) return
  const { made_until: last } = series
  const { starts, madeUntil } = await findOccurrences(scope, patternOf(series), timesOf(series))
  const later = starts.filter((start) => start > last)
  await addOccurrences(tx, scope, series, readTemplate(series), later, report, id)
  await storage.update(tx, series.id, { made_until: madeUntil })
}

/** What a request asks of a series. */
interface Asked {
  readonly scope: SeriesScope
  /** Whether it has another recurrence. */
  readonly isOther: boolean
  /** Whether the event is to be single. */
  readonly isEnded: boolean
}

const SINGLE: Asked = { scope: 'this', isOther: false, isEnded: false }

/** A recurrence that equals the current one counts as not sent. */
async function askedOf(
  tx: Tx,
  { values }: Request,
  series: SeriesRow,
  event: EventRow,
  sent: SeriesScope | null,
): Promise<Asked> {
  const { recurrence } = values
  const isEnded = recurrence === null
  const isOther = recurrence ? !isShownPattern(recurrence, timesOf(series), patternOf(series)) : false
  const isAtStart = await isFirst(tx, series, event)
  const scope = sent ?? ((isOther || isEnded) && isAtStart ? 'all' : 'this')
  if (isOther && scope === 'this') refuseRecurrence({ problem: 'needs_a_scope' })
  // Nothing comes before the first.
  return { scope: scope === 'following' && isAtStart ? 'all' : scope, isOther, isEnded }
}

/** Whether a recurrence is the one that an event has. */
export async function isShownRecurrence(tx: Tx, { series: id }: EventRow, value: RecurrenceValue): Promise<boolean> {
  const series = id === null ? undefined : await storage.get(tx, id)
  return series !== undefined && isShownPattern(value, timesOf(series), patternOf(series))
}

/** Makes an event the first of a new series. */
async function beginSeries(
  tx: Tx,
  scope: Scope,
  event: EventRow,
  { values }: Request,
  report: SeriesReport,
): Promise<EventRow> {
  const times = { ...event, allDay: event.all_day === 1 }
  const pattern = values.recurrence ? resolvePattern(values.recurrence, times, null) : null
  if (pattern === null) refuseRecurrence({ problem: 'not_a_recurrence' })
  const { starts, count, madeUntil } = await occurrencesOf(scope, pattern, times)
  // The start may be an exception: then the event is the next occurrence.
  const first = starts.includes(event.start_local) ? event.start_local : (starts[0] ?? event.start_local)
  const template = await templateOf(tx, event)
  const series = {
    id: await seriesIdFor(tx, event),
    author: event.author,
    slug: event.slug,
    timezone: event.timezone,
    start_local: event.start_local,
    end_local: event.end_local,
    ...patternColumns(pattern),
    template: JSON.stringify(template),
    occurrences: count,
    made_until: madeUntil,
    trashed: event.status === 'trash' ? 1 : 0,
    ...touched(scope, { sequence: 0 }),
  }
  await storage.create(tx, series)
  const atFirst = first === event.start_local ? null : timesAt(event, first, times.allDay)
  await recordStorage.update(tx, 'event', event.id, { series: series.id, original_start: first, ...atFirst })
  const others = starts.filter((start) => start !== first)
  await addOccurrences(tx, scope, series, template, others, report, event.id)
  return find(tx, event.id)
}

async function find(tx: Tx, id: number): Promise<EventRow> {
  return asEvent(await records.find(tx, 'event', { id }, 'no reader: write'))
}

/** Takes an occurrence out of its series. */
async function detach(tx: Tx, scope: Scope, row: EventRow): Promise<EventRow> {
  await addException(tx, scope, row)
  await recordStorage.update(tx, 'event', row.id, DETACHED)
  if (row.series !== null) {
    await storage.clearForeignParents(tx, row.series)
    await dropIfEmpty(tx, row.series)
  }
  return find(tx, row.id)
}

/** Changes all occurrences of a series: the addressed one as a single event, the others in what they have not of their own. */
async function changeAll(
  tx: Tx,
  scope: Scope,
  request: Request,
  before: EventRow,
  series: SeriesRow,
  asked: Asked,
  report: SeriesReport,
): Promise<EventRow> {
  const others = (await storage.occurrences(tx, series.id)).filter(({ id }) => id !== before.id)
  for (const row of others) need(mayEdit(scope.user, row))
  const { row: written, changed, has } = await writeCompared(tx, scope, request, before)
  if (asked.isEnded) return endSeries(tx, scope, series, written, others, report)
  const template = merged(readTemplate(series), { columns: columnsOf(written), ...has }, changed)
  const fields = changed.filter((name) => !isTimeField(name) && name !== 'status')
  const ids = others.map(({ id }) => id)
  const counts = await storage.termCounts(tx, ids)
  const reached = new Set(await copyFields(tx, scope, { template, author: written.author, fields }, others))
  await moveTermCounts(tx, ids, counts)
  if (changed.includes('status')) {
    const current = (await storage.occurrences(tx, series.id)).filter(({ id }) => id !== before.id)
    for (const id of await copyStatus(tx, scope, series, before, written, current)) reached.add(id)
  }
  const own = [...ownFields(before)].filter((name) => isTimeField(name) || !changed.includes(name))
  await recordStorage.update(tx, 'event', written.id, { own_fields: ownColumn(own) })
  const next: SeriesRow = {
    ...((await storage.get(tx, series.id)) ?? series),
    template: JSON.stringify(template),
    author: changed.includes('author') ? written.author : series.author,
    trashed: written.status === 'trash' ? 1 : before.status === 'trash' ? 0 : series.trashed,
    ...touched(scope, series),
  }
  const isPlanned = asked.isOther || changed.some(isTimeField)
  const planned = isPlanned
    ? await replan(
        tx,
        scope,
        next,
        template,
        { before, written, recurrence: (asked.isOther && request.values.recurrence) || null },
        report,
      )
    : next
  await storage.update(tx, series.id, planned)
  if (changed.length > 0) reached.add(written.id)
  await tell(tx, series.id, reached, report)
  return find(tx, written.id)
}

/** Adds the changed events to the report, with their new starts, each once. */
async function tell(tx: Tx, series: number, reached: ReadonlySet<number>, report: SeriesReport): Promise<void> {
  const known = new Set(report.changed.map(({ id }) => id))
  for (const { id, start_local } of await storage.occurrences(tx, series))
    if (reached.has(id) && !known.has(id)) report.changed.push({ id, start_date: start_local })
}

/** A template with the changed fields of an event. */
function merged(template: Template, event: Template, changed: readonly string[]): Template {
  const columns = Object.keys(template.columns).filter((column) =>
    changed.some((name) => (COLUMN_OF[name] ?? name) === column),
  )
  const from = (name: string) => (changed.includes(name) ? event : template)
  return {
    columns: {
      ...template.columns,
      ...Object.fromEntries(columns.map((column) => [column, event.columns[column as 'title']])),
    },
    linked: byLinkedKind((kind) => from(kind).linked[kind]),
    terms: { category: from('categories').terms.category, tag: from('tags').terms.tag },
    tickets: from('tickets').tickets,
  }
}

/** Removes all other occurrences of a series, and leaves one event alone. */
async function endSeries(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  row: EventRow,
  others: readonly storage.Occurrence[],
  report: SeriesReport,
): Promise<EventRow> {
  await removeGone(tx, scope, others, row.id, report)
  await storage.remove(tx, series.id)
  await recordStorage.update(tx, 'event', row.id, DETACHED)
  report.changed.push({ id: row.id, start_date: row.start_local })
  return find(tx, row.id)
}
