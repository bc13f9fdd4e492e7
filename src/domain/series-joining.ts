import { isDeepStrictEqual } from 'node:util'
import { horizonOf, inOrder, later, type Pattern, secondsBetween, split } from '../calendar/pattern.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import { byLinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkStorage from '../storage/event-links.ts'
import type { EventRow } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import * as ticketStorage from '../storage/tickets.ts'
import type { Scope } from './scope.ts'
import { changedFields, DETACHED, ownColumn, touched } from './series-members.ts'
import { anchorOf, findOccurrences, patternColumns, type SeriesTimes } from './series-pattern.ts'
import { seriesIdFor } from './series-splitting.ts'
import { setStatus } from './series-status.ts'
import { columnsOf, createOccurrences, type EventParts, type Template, timesAt } from './series-template.ts'
import { type Place, placeIn, type SeriesChange } from './series-undoing.ts'

/** Events that are occurrences of one recurring entry, as an import has stored them. */
export interface Joined {
  readonly pattern: Pattern
  /** Of the start of the rule. */
  readonly times: SeriesTimes
  /** Original starts of the events, by id. */
  readonly members: ReadonlyMap<number, WallClock>
  /** Ids of the events that are as the entry says. */
  readonly plain: ReadonlySet<number>
  /** Slug that later occurrences begin with; that of the first event if it is not known. */
  readonly slug: string | null
}

interface Member {
  readonly row: EventRow
  readonly original: WallClock
  readonly parts: EventParts
}

/** Makes events a series, or brings the series that they are up to date. Null if there are no events. */
export async function joinSeries(tx: Tx, scope: Scope, joined: Joined): Promise<SeriesChange | null> {
  const members = await membersOf(tx, joined.members)
  const first = members.find(({ row }) => row.status !== 'trash') ?? members[0]
  if (first === undefined) return null
  const known = await knownSeries(tx, members)
  const others = known === undefined ? [] : await othersOf(tx, known, joined.members)
  const { pattern, times } = await anchored(scope, joined, members, others)
  const { all, starts, count, madeUntil } = await findOccurrences(scope, pattern, times)
  const model = mostCommon(members.filter(({ row }) => joined.plain.has(row.id))) ?? first
  const template = contentOf(model)
  const id = known?.id ?? (await seriesIdFor(tx, first.row))
  const { allDay: _, ...columns } = times
  const row = {
    ...columns,
    ...patternColumns(pattern),
    slug: known?.slug ?? joined.slug ?? first.row.slug,
    author: known?.author ?? first.row.author,
    template: JSON.stringify(template),
    occurrences: count,
    made_until: madeUntil,
  }
  const isSame = known !== undefined && isDeepStrictEqual({ ...known, ...row }, known)
  if (known === undefined) await storage.create(tx, { ...row, id, ...touched(scope, { sequence: 0 }) })
  else if (!isSame) await storage.update(tx, id, { ...row, ...touched(scope, known) })
  const lost = await detachLost(tx, scope, others, new Set(all), pattern.except)
  const parent = earliest(others, first)
  const places: Place[] = []
  for (const member of members) {
    const own = { ...placeOf(member, id, model, times), parent: member.row.id === parent ? null : parent }
    if (Object.entries(own).every(([name, value]) => member.row[name as 'series'] === value)) continue
    places.push(placeIn(member.row))
    await storage.updateEvents(tx, [member.row.id], own)
  }
  const last = members.at(-1)?.original ?? ''
  const made = new Set(others.map(({ original_start }) => original_start))
  const missing = starts.filter((start) => start > last && !made.has(start))
  await createOccurrences(tx, scope, { ...row, id }, template, missing, parent)
  return { series: id, row: known ?? null, places: [...places, ...lost.places], trashed: lost.trashed }
}

/** Ends a series of which an import has only one event left. All that it has become single events. */
export async function endJoined(tx: Tx, series: number): Promise<SeriesChange | null> {
  const row = await storage.getLocked(tx, series)
  if (row === undefined) return null
  const members = await storage.occurrences(tx, series)
  const ids = members.map(({ id }) => id)
  await storage.updateEvents(tx, ids, DETACHED)
  await storage.remove(tx, series)
  return { series, row, places: members.map(placeIn), trashed: [] }
}

/**
 * Takes events out of a series whose pattern has them no longer. Those that an import has not moved to the trash yet go
 * there.
 */
async function detachLost(
  tx: Tx,
  scope: Scope,
  others: readonly storage.Occurrence[],
  given: ReadonlySet<WallClock>,
  except: readonly WallClock[],
): Promise<Pick<SeriesChange, 'places' | 'trashed'>> {
  const left = new Set(except)
  const isLost = ({ status, original_start: at }: storage.Occurrence) =>
    at === null || (!given.has(at) && !(status === 'trash' && left.has(at)))
  const lost = others.filter(isLost)
  const trashed = await setStatus(
    tx,
    scope,
    lost.filter(({ status }) => status !== 'trash'),
    'trash',
  )
  await storage.updateEvents(
    tx,
    lost.map(({ id }) => id),
    DETACHED,
  )
  return { places: lost.map(placeIn), trashed }
}

/** Events in the order of their original starts. */
async function membersOf(tx: Tx, originals: ReadonlyMap<number, WallClock>): Promise<Member[]> {
  const ids = [...originals.keys()]
  const rows = await eventStorage.getAll(tx, ids, 'no reader: write')
  const links = Map.groupBy(await linkStorage.links(tx, ids), (link) => link.event)
  const tickets = await ticketStorage.ofEvents(tx, ids)
  return rows
    .map((row) => {
      const of = (kind: string) =>
        (links.get(row.id) ?? []).filter((link) => link.kind === kind).map(({ linked }) => linked)
      const parts: EventParts = {
        linked: byLinkedKind(of),
        terms: { category: of('category').sort(byNumber), tag: of('tag').sort(byNumber) },
        tickets: (tickets.get(row.id) ?? []).map(({ id: _, event: __, position: ___, ...ticket }) => ticket),
      }
      return { row, original: originals.get(row.id) ?? row.start_local, parts }
    })
    .sort((one, other) => (one.original < other.original ? -1 : 1))
}

function byNumber(one: number, other: number): number {
  return one - other
}

/** The series that most of the events belong to already. */
async function knownSeries(tx: Tx, members: readonly Member[]): Promise<SeriesRow | undefined> {
  const ids = [...Map.groupBy(members, ({ row }) => row.series)].filter(([id]) => id !== null)
  const [most] = ids.sort(([, one], [, other]) => other.length - one.length)
  return most?.[0] ? storage.getLocked(tx, most[0]) : undefined
}

/** Occurrences of a series that the import does not know: they came into view since. */
async function othersOf(
  tx: Tx,
  { id }: SeriesRow,
  members: ReadonlyMap<number, WallClock>,
): Promise<storage.Occurrence[]> {
  return (await storage.occurrences(tx, id)).filter((row) => !members.has(row.id))
}

/** The id of the first event of a series: one that an import has brought long ago, or the first one of this. */
function earliest(others: readonly storage.Occurrence[], { row, original }: Member): number {
  const before = others.filter(({ original_start, status }) => status !== 'trash' && (original_start ?? '') < original)
  const [first] = before.sort((one, other) => ((one.original_start ?? '') < (other.original_start ?? '') ? -1 : 1))
  return first?.id ?? row.id
}

/** The pattern from the first event on: an import may leave out the past. What is in the trash is an exception. */
async function anchored(
  scope: Scope,
  { pattern: given, times }: Joined,
  members: readonly Member[],
  others: readonly storage.Occurrence[],
): Promise<{ pattern: Pattern; times: SeriesTimes }> {
  const { clock, site } = scope
  const isTrashed = ({ status }: Pick<EventRow, 'status'>) => status === 'trash'
  const removed = [
    ...members.filter(({ row }) => isTrashed(row)).map(({ original }) => original),
    ...others.filter(isTrashed).flatMap((row) => row.original_start ?? []),
  ]
  const possible =
    removed.length === 0 ? null : new Set((await findOccurrences(scope, { ...given, except: [] }, times)).all)
  const pattern = {
    ...given,
    except: inOrder([...given.except, ...removed.filter((original) => possible?.has(original))]),
  }
  const originals = [...members.map(({ original }) => original), ...others.flatMap((row) => row.original_start ?? [])]
  const [first = times.start_local] = originals.sort()
  const isKept = async () => ((await findOccurrences(scope, pattern, times)).starts[0] ?? first) >= first
  if (first <= times.start_local || (await isKept())) return { pattern, times }
  const horizon = horizonOf(toWallClock(clock('day'), site.timezone), times.start_local, site.seriesYears)
  const { after, start } = await split(pattern, anchorOf(times), first, horizon)
  const end_local = later(start, secondsBetween(times.start_local, times.end_local))
  return { pattern: after, times: { ...times, start_local: start, end_local } }
}

function contentOf({ row, parts }: Member): Template {
  return { columns: columnsOf(row), ...parts }
}

/** The content that most events have: others were changed by hand. */
function mostCommon(members: readonly Member[]): Member | undefined {
  const alike = Map.groupBy(
    members.filter(({ row }) => row.status !== 'trash'),
    ({ row, parts }) => JSON.stringify({ ...parts, columns: { ...columnsOf(row), date_utc: 0 } }),
  )
  const [most] = [...alike.values()].sort((one, other) => other.length - one.length)
  return most?.[0]
}

/** Where an event stands in a series, and which fields it has of its own. */
function placeOf(
  { row, original, parts }: Member,
  series: number,
  model: Member,
  times: SeriesTimes,
): Pick<EventRow, 'series' | 'original_start' | 'own_fields'> {
  const said = timesAt(times, original, times.allDay)
  const template = contentOf(model)
  const asSaid = { ...row, ...template.columns, timezone: model.row.timezone }
  // An event may have been brought later than the others.
  const isOwn = (name: string) => name !== 'date' && (name !== 'status' || row.status !== 'trash')
  const own = changedFields(asSaid, row, template, parts).filter(isOwn)
  // A series by the clock of UTC may be shown by another: instants are compared.
  if (said !== null && said.start_utc !== row.start_utc) own.push('start_date')
  if (said !== null && said.end_utc !== row.end_utc) own.push('end_date')
  return { series, original_start: original, own_fields: ownColumn(own) }
}
