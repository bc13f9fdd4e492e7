import { type CalendarEntry, EntryError, readEntry, unknownZoneOf, type Zones } from '../../calendar/calendar-entry.ts'
import { zoneNamed } from '../../calendar/calendar-zones.ts'
import { type Component, ComponentReader, first } from '../../calendar/components.ts'
import { LineReader, type UnfoldedLine, unescapeText } from '../../calendar/content-lines.ts'
import { type Budget, MAX_STEPS } from '../../calendar/recurrence.ts'
import { toWallClock, type WallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { runInSlices, TimeSlice } from '../../lib/time-slices.ts'
import { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import { type EntryReader, itemOf, ownId, uidOf } from './entry-reader.ts'
import { bringParents } from './parents.ts'
import { type Occurrence, type Series, seriesOf } from './series.ts'
import { TermsSaid } from './terms.ts'
import { ImportedZones } from './zones.ts'

export interface CalendarOptions {
  readonly dryRun: boolean
  readonly onProgress?: (report: imports.ImportReport) => void
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

/** How many characters of descriptions are stored in one transaction. */
const BATCH_TEXT = 500_000

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
  readonly #seen = new Set<string>()
  /** What can only be read when all has been seen: recurring entries, changes to them, zones described later. */
  readonly #aside: Component[] = []
  #asideSize = 0
  readonly #turn = new TimeSlice()
  readonly #most: number
  readonly #steps: Budget
  #textLeft: number
  readonly #images: ImportedImages
  #items: imports.Item[] = []
  #itemsText = 0

  constructor(scope: Scope, run: imports.ImportRun, options: CalendarOptions) {
    const { most, mostImages, mostSteps, mostText, adopt = false } = options
    this.#most = most ?? Number.POSITIVE_INFINITY
    this.#steps = { left: mostSteps ?? Number.POSITIVE_INFINITY }
    this.#textLeft = mostText ?? Number.POSITIVE_INFINITY
    this.#zones = new ImportedZones(scope)
    this.#reader = { scope, adopt, terms: new TermsSaid() }
    this.#scope = scope
    this.#run = run
    this.#images = new ImportedImages(scope, run, { most: mostImages })
  }

  async take(lines: readonly UnfoldedLine[]): Promise<void> {
    // Much of a file may be no line at all.
    if (this.#turn.isOver) await this.#turn.yield()
    for (const line of lines) {
      const component = this.#components.push(line)
      if (component !== null) await this.#sort(component)
      if (this.#turn.isOver) await this.#turn.yield()
    }
  }

  async finish(): Promise<imports.ImportReport | null> {
    const unfinished = this.#components.end()
    if (unfinished !== null) await this.#sort(unfinished)
    if (!this.#components.isCalendar && this.#seen.size === 0 && this.#run.report.skipped === 0) return null
    await this.#flush()
    await this.#allSeries()
    await bringParents(this.#scope, this.#run)
    return this.#run.report
  }

  async #sort(component: Component): Promise<void> {
    if (component.name === 'VTIMEZONE') {
      this.#zones.describe(component)
      return
    }
    for (const { value } of component.properties.get('X-KALENDS-TERM') ?? []) {
      this.#reader.terms.add(value)
      if (this.#turn.isOver) await this.#turn.yield()
    }
    await this.#zones.learn(component, this.#turn)
    const recurs = ['RRULE', 'RDATE', 'RECURRENCE-ID'].some((name) => component.properties.has(name))
    if (recurs || unknownZoneOf(component, this.#zones) !== null) {
      this.#setAside(component)
      return
    }
    const entry = await this.#read(component)
    if (entry === null) return
    const { start, end } = entry
    await this.#add({ entry, start, end, part: '', parent: null, sharesDay: false })
  }

  #setAside(component: Component): void {
    this.#asideSize += component.size
    if (this.#asideSize <= MAX_ASIDE) this.#aside.push(component)
    else this.#skip(component, { problem: 'too_many_recurring' })
  }

  /** Reads an entry; null for one that cannot be read, which does not stop the others. */
  async #read(component: Component): Promise<CalendarEntry | null> {
    if (this.#turn.isOver) await this.#turn.yield()
    try {
      return readEntry(component, this.#context())
    } catch (error) {
      if (!(error instanceof EntryError)) throw error
      this.#skip(component, { problem: error.problem, ...error.fill })
      return null
    }
  }

  #skip(component: Component, problem: imports.Note['problem']): void {
    const uid = unescapeText(first(component, 'UID')?.value ?? '')
    imports.note(this.#run, { line: component.line, uid, problem })
  }

  async #add(occurrence: Occurrence): Promise<void> {
    if (this.#turn.isOver) await this.#turn.yield()
    const { entry } = occurrence
    const item = itemOf(this.#reader, occurrence)
    const { line, uid } = item
    // A feed of this site says less of an event than is known of it here.
    if (this.#reader.adopt && ownId(this.#scope, entry.uid) !== null && entry.fields === null) {
      imports.note(this.#run, { line, uid, problem: { problem: 'entry_own' } })
      return
    }
    const key = imports.hashOf([item.uid, item.part])
    if (this.#seen.has(key)) {
      imports.note(this.#run, { line, uid, problem: { problem: 'entry_repeated' } })
      return
    }
    if (this.#seen.size >= this.#most) {
      imports.note(this.#run, { line, uid, problem: { problem: 'too_many_events', most: this.#most } })
      return
    }
    this.#seen.add(key)
    this.#items.push(item)
    this.#itemsText += entry.description.text.length
    if (this.#items.length >= imports.BATCH || this.#itemsText >= BATCH_TEXT) await this.#flush()
  }

  async #flush(): Promise<void> {
    const items = this.#items
    this.#items = []
    this.#itemsText = 0
    await imports.save(this.#scope, this.#run, await this.#images.bringAll(items))
  }

  /** Recurring entries and what changes them, one entry after another. */
  async #allSeries(): Promise<void> {
    const byUid = new Map<string, CalendarEntry[]>()
    for (const component of this.#aside.splice(0)) {
      await this.#zones.learn(component, this.#turn)
      const entry = await this.#read(component)
      if (entry === null) continue
      const uid = uidOf(this.#reader, entry)
      const entries = byUid.get(uid)
      if (entries === undefined) byUid.set(uid, [entry])
      else entries.push(entry)
    }
    const now = toWallClock(this.#scope.clock(), this.#scope.site.timezone)
    for (const [uid, entries] of byUid) {
      if (this.#turn.isOver) await this.#turn.yield()
      const line = entries[0]?.line ?? 0
      if (this.#seen.size >= this.#most)
        imports.note(this.#run, { line, uid, problem: { problem: 'too_many_events', most: this.#most } })
      else if (this.#steps.left <= 0 || this.#textLeft <= 0)
        imports.note(this.#run, { line, uid, problem: { problem: 'too_many_recurring' } })
      else await this.#addSeries(uid, line, await this.#expand(entries, now))
    }
    await this.#flush()
  }

  /** The occurrences of entries of one name. */
  async #expand(entries: readonly CalendarEntry[], now: WallClock): Promise<Series> {
    const budget = { left: Math.min(MAX_STEPS, this.#steps.left) }
    const most = budget.left
    const series = await runInSlices(seriesOf(entries, now, budget))
    this.#steps.left -= most - budget.left
    return series
  }

  async #addSeries(uid: string, line: number, { occurrences, cut, whole }: Series): Promise<void> {
    let added = 0
    for (const occurrence of occurrences) {
      if (this.#textLeft <= 0) break
      this.#textLeft -= occurrence.entry.description.text.length
      await this.#add(occurrence)
      added++
    }
    const isCut = cut || added < occurrences.length
    if (isCut) imports.note(this.#run, { line, uid, problem: { problem: 'series_cut', most: added } }, false)
    if (whole === null || added < occurrences.length) return
    await this.#flush()
    await imports.dropOthers(this.#scope, this.#run, uid, new Set(occurrences.map(({ part }) => part)), whole)
  }

  #context(): Zones {
    const { timezone } = this.#scope.site
    const shown = this.#components.zone === null ? null : zoneNamed(this.#components.zone)
    return { named: (tzid) => this.#zones.named(tzid), floating: timezone, shown: shown ?? timezone }
  }
}
