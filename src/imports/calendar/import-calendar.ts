import { type CalendarEntry, readEntry } from '../../calendar/calendar-entry.ts'
import { type Component, ComponentReader, first } from '../../calendar/components.ts'
import { LineReader, type UnfoldedLine, unescapeText } from '../../calendar/content-lines.ts'
import { type Doubt, EntryError } from '../../calendar/entry-times.ts'
import { MAX_STEPS } from '../../calendar/recurrence.ts'
import type { Budget } from '../../calendar/recurrence-budget.ts'
import { toWallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { runInSlices, TimeSlice } from '../../lib/time-slices.ts'
import { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import * as saving from '../saving.ts'
import { type EntryReader, itemOf, ownId, uidOf } from './entry-reader.ts'
import { withTexts } from './entry-texts.ts'
import { entryZones, followsCalendar } from './entry-zones.ts'
import { existingOccurrences, inRange, matchOccurrences } from './existing-occurrences.ts'
import { endOfSeries, joinedEntry, joinOccurrences, knownToRecur } from './joined-series.ts'
import { NewestEntries, type ReadEntry } from './newest-entries.ts'
import { bringParents } from './parents.ts'
import { PendingItems } from './pending.ts'
import { type Horizon, type Occurrence, type Series, seriesOf } from './series.ts'
import { TermsSaid } from './terms.ts'
import { isNewer, type Version, versionOf } from './versions.ts'
import { ImportedZones } from './zones.ts'

export interface CalendarOptions extends imports.BeginOptions {
  /** How many events are taken at most; what is more is skipped. */
  readonly most?: number
  /** How many addresses of images are asked at most. */
  readonly mostImages?: number
  /** How many steps the rules of recurring entries may take, all together. */
  readonly mostSteps?: number
  /** How many characters the descriptions of all occurrences of recurring entries may have. */
  readonly mostText?: number
  /** Takes entries with names of this site for the events that have them. Only the operator may ask for that. */
  readonly adopt?: boolean
}

/** Entries of every calendar file share their names: a UID is unique in the world (RFC 5545 §3.8.4.7). */
const SOURCE = 'ics'

/** How many characters of recurring entries are kept until the end of the file, where the last change to them may be. */
const MAX_ASIDE = 50_000_000

/** How many unknown zones of calendars are told of: a file may have many calendars. */
const MAX_UNKNOWN_ZONES = 20

/** Imports a calendar while it arrives, in memory for a batch of events and the recurring entries. Null if it is none. */
export async function importCalendar(
  scope: Scope,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CalendarOptions,
): Promise<imports.ImportReport | null> {
  const reader = new CalendarImport(scope, imports.begin(scope, SOURCE, options), options)
  const lines = new LineReader()
  for await (const chunk of chunks) await reader.take(lines.push(chunk))
  await reader.take(lines.end())
  return reader.finish()
}

class CalendarImport {
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #components = new ComponentReader()
  readonly #zones: ImportedZones
  readonly #reader: EntryReader
  readonly #pending: PendingItems
  /** Names of entries that do not recur, and of those that do. */
  readonly #alone = new Set<string>()
  readonly #recurring = new Set<string>()
  /** What can only be read when all has been seen: recurring entries, changes to them, zones described later. */
  readonly #aside: { readonly component: Component; readonly calendar: string | null }[] = []
  #asideSize = 0
  /** Zones of calendars that nobody knows, and that a note tells of. */
  readonly #unknownZones = new Set<string>()
  readonly #turn = new TimeSlice()
  readonly #steps: Budget
  #textLeft: number

  constructor(scope: Scope, run: imports.ImportRun, options: CalendarOptions) {
    const { most = Number.POSITIVE_INFINITY, mostImages, mostSteps, mostText, adopt = false } = options
    this.#steps = { left: mostSteps ?? Number.POSITIVE_INFINITY }
    this.#textLeft = mostText ?? Number.POSITIVE_INFINITY
    this.#zones = new ImportedZones(scope, { ...this.#steps })
    this.#reader = { scope, adopt, terms: new TermsSaid() }
    this.#scope = scope
    this.#run = run
    this.#pending = new PendingItems(scope, run, new ImportedImages(scope, run, { most: mostImages }), most)
  }

  async take(lines: readonly UnfoldedLine[]): Promise<void> {
    // Much of a file may be no line at all.
    if (this.#turn.isOver) await this.#turn.yield()
    for (const line of lines) {
      // A line may end the calendar of the component.
      const calendar = this.#components.zone
      const component = this.#components.push(line)
      if (component !== null) await this.#sort(component, calendar)
      if (this.#turn.isOver) await this.#turn.yield()
    }
  }

  async finish(): Promise<imports.ImportReport | null> {
    const unfinished = this.#components.end()
    if (unfinished !== null) await this.#sort(unfinished, this.#components.zone)
    if (!this.#components.isCalendar && this.#pending.count === 0 && this.#run.report.skipped === 0) return null
    await this.#pending.flush()
    await this.#allSeries()
    await this.#endSeries()
    await bringParents(this.#scope, this.#run)
    return this.#run.report
  }

  async #sort(component: Component, calendar: string | null): Promise<void> {
    if (component.name === 'VTIMEZONE') {
      this.#zones.describe(component)
      return
    }
    for (const { value } of component.properties.get('X-KALENDS-TERM') ?? []) {
      this.#reader.terms.add(value)
      if (this.#turn.isOver) await this.#turn.yield()
    }
    const recurs = ['RRULE', 'RDATE', 'RECURRENCE-ID'].some((name) => component.properties.has(name))
    const hasRoom = this.#asideSize + component.size <= MAX_ASIDE
    if (recurs && !hasRoom) {
      this.#skip(component, { problem: 'too_many_recurring' })
    } else if (recurs || (hasRoom && this.#zones.waits(component))) {
      this.#asideSize += component.size
      this.#aside.push({ component, calendar })
    } else {
      const read = await this.#read(component, calendar)
      if (read !== null) await this.#addAlone(read)
    }
  }

  /** Reads an entry; null for one that cannot be read, which does not stop the others. */
  async #read(component: Component, calendar: string | null): Promise<ReadEntry | null> {
    if (this.#turn.isOver) await this.#turn.yield()
    const doubts: Doubt[] = []
    const clocks = await this.#zones.clocksOf(component, calendar, this.#turn)
    try {
      const zones = entryZones({ clocks, site: this.#scope.site.timezone, calendar, doubts })
      const entry = withTexts(readEntry(component, zones), doubts)
      if (calendar !== null && !clocks.get(calendar) && followsCalendar(component)) this.#tellZone(calendar, entry)
      for (const { problem, fill } of [...doubts, ...(entry.doubts ?? [])])
        imports.note(this.#run, { line: entry.line, uid: entry.uid, problem: { problem, ...fill } }, false)
      return { entry, version: versionOf(component) }
    } catch (error) {
      if (!(error instanceof EntryError)) throw error
      this.#skip(component, { problem: error.problem, ...error.fill })
      return null
    }
  }

  /** Tells once that the zone of a calendar is not known. */
  #tellZone(calendar: string, { line, uid }: CalendarEntry): void {
    const zone = calendar.trim().slice(0, 80)
    if (zone === '' || this.#unknownZones.has(zone) || this.#unknownZones.size >= MAX_UNKNOWN_ZONES) return
    this.#unknownZones.add(zone)
    const problem = { problem: 'calendar_unknown_zone', zone, used: this.#scope.site.timezone }
    imports.note(this.#run, { line, uid, problem }, false)
  }

  #skip(component: Component, problem: imports.Note['problem']): void {
    const uid = unescapeText(first(component, 'UID')?.value ?? '')
    imports.note(this.#run, { line: component.line, uid, problem })
  }

  /** Adds an entry that does not recur. */
  #addAlone({ entry, version }: ReadEntry): Promise<void> {
    const { start, end } = entry
    this.#alone.add(uidOf(this.#reader, entry))
    return this.#add({ entry, version, start, end, place: start, part: '', parent: null, sharesDay: false })
  }

  async #add(occurrence: Occurrence, known: number | null = null): Promise<void> {
    if (this.#turn.isOver) await this.#turn.yield()
    const { entry, version } = occurrence
    const read = itemOf(this.#reader, occurrence)
    const item = known === null ? read : { ...read, adopts: { slug: null, id: known } }
    const { line, uid } = item
    // A feed of this site says less of an event than is known of it here.
    if (this.#reader.adopt && ownId(this.#scope, entry.uid) !== null && entry.fields === null)
      imports.note(this.#run, { line, uid, problem: { problem: 'entry_own' } })
    else await this.#pending.add(item, version, entry.description.text.length)
  }

  /** Recurring entries and what changes them, one entry after another. */
  async #allSeries(): Promise<void> {
    const byUid = new Map<string, NewestEntries>()
    for (const { component, calendar } of this.#aside.splice(0)) {
      const read = await this.#read(component, calendar)
      if (read === null) continue
      const uid = uidOf(this.#reader, read.entry)
      if (read.entry.recurrence !== null || read.entry.occurrence !== null) this.#recurring.add(uid)
      const entries = byUid.get(uid) ?? new NewestEntries()
      byUid.set(uid, entries)
      const loser = entries.add(read)
      if (loser !== null) imports.note(this.#run, { line: loser.line, uid, problem: { problem: loser.problem } })
    }
    const { clock, site } = this.#scope
    const ahead = { now: toWallClock(clock(), site.timezone), years: site.seriesYears }
    for (const [uid, entries] of byUid) {
      if (this.#turn.isOver) await this.#turn.yield()
      await this.#addEntries(uid, entries, ahead)
    }
    await this.#pending.flush()
  }

  /** Drops the other occurrences of entries that recur no longer. */
  async #endSeries(): Promise<void> {
    const uids = [...this.#alone].filter((uid) => !this.#recurring.has(uid))
    for (let at = 0; at < uids.length; at += saving.BATCH) {
      if (this.#turn.isOver) await this.#turn.yield()
      for (const uid of await knownToRecur(this.#scope, this.#run, uids.slice(at, at + saving.BATCH))) {
        const existing = await existingOccurrences(this.#scope, this.#run, uid, null)
        const left = existing.filter(({ part }) => part !== '')
        await saving.drop(this.#scope, this.#run, uid, left, [])
        await endOfSeries(this.#scope, this.#run, existing)
      }
    }
  }

  /** Adds the entries of one name. */
  async #addEntries(uid: string, entries: NewestEntries, ahead: Horizon): Promise<void> {
    const { line, alone, master, changes } = entries
    if (this.#pending.isFull) return this.#pending.refuse(line, uid)
    if (alone !== null) return this.#addAlone(alone)
    if (this.#steps.left <= 0 || this.#textLeft <= 0)
      return imports.note(this.#run, { line, uid, problem: { problem: 'too_many_recurring' } })
    const before = this.#pending.seen(uid, '')
    if (before !== undefined && master !== null && isNewer(before, master.version))
      return this.#replaced(uid, [master, ...changes], 'entry_repeated')
    await this.#addSeries(uid, entries, await this.#expand(entries, before, ahead))
  }

  #replaced(uid: string, entries: readonly ReadEntry[], problem: string): void {
    for (const { entry } of entries) imports.note(this.#run, { line: entry.line, uid, problem: { problem } })
  }

  /** The occurrences of entries of one name. */
  async #expand(entries: NewestEntries, single: Version | undefined, ahead: Horizon): Promise<Series> {
    const budget = { left: Math.min(MAX_STEPS, this.#steps.left) }
    const most = budget.left
    const series = await runInSlices(seriesOf(entries, single, ahead, budget))
    this.#steps.left -= most - budget.left
    return series
  }

  async #addSeries(uid: string, entries: NewestEntries, series: Series): Promise<void> {
    const { line } = entries
    const { occurrences, cut, whole, lost, past } = series
    this.#replaced(uid, lost, 'entry_superseded')
    if (occurrences.length === 0 && entries.master !== null)
      imports.note(this.#run, { line, uid, problem: { problem: 'entry_all_excluded' } })
    const joined = cut ? null : joinedEntry(uid, entries.master?.entry)
    const own = joined !== null && this.#reader.adopt ? ownId(this.#scope, joined.master.uid) : null
    const existing = whole === null ? [] : await existingOccurrences(this.#scope, this.#run, uid, own)
    const { taken, left, renamed } = matchOccurrences(occurrences, existing)
    let added = 0
    for (const occurrence of occurrences) {
      if (this.#textLeft <= 0) break
      this.#textLeft -= occurrence.entry.description.text.length
      await this.#add(occurrence, taken.get(occurrence.part) ?? null)
      added++
    }
    if (past !== null && past.count > 0)
      imports.note(this.#run, { line, uid, problem: { problem: 'series_past', ...past } }, false)
    const isCut = cut || added < occurrences.length
    if (isCut) imports.note(this.#run, { line, uid, problem: { problem: 'series_cut', most: added } }, false)
    if (whole === null || added < occurrences.length) return
    await this.#pending.flush()
    await saving.drop(this.#scope, this.#run, uid, left.filter(inRange(whole)), renamed)
    if (joined !== null) await joinOccurrences(this.#scope, this.#run, joined, occurrences)
    else if (!cut) await endOfSeries(this.#scope, this.#run, existing)
  }
}
