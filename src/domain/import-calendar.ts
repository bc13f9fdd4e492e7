import { type CalendarEntry, EntryError, readEntry, unknownZoneOf, type Zones } from '../calendar/calendar-entry.ts'
import { zoneDescribed, zoneNamed } from '../calendar/calendar-zones.ts'
import { type Component, ComponentReader, first } from '../calendar/components.ts'
import { LineReader, type UnfoldedLine, unescapeText } from '../calendar/content-lines.ts'
import { toWallClock, type Zone } from '../calendar/zone.ts'
import { Turn } from '../lib/turns.ts'
import { type EntryReader, itemOf, ownId, uidOf } from './import-entry.ts'
import { ImportedImages } from './import-images.ts'
import { bringParents } from './import-parents.ts'
import { type Occurrence, seriesOf } from './import-series.ts'
import { TermsSaid } from './import-terms.ts'
import * as imports from './imports.ts'
import type { Scope } from './scope.ts'

export interface CalendarOptions {
  readonly dryRun: boolean
  readonly onProgress?: (report: imports.Report) => void
  /** How many events are taken at most; what is more is skipped. */
  readonly most?: number
  /** How many addresses of images are asked at most. */
  readonly mostImages?: number
  /** Takes entries with names of this site for the events that have them. Only the operator may ask for that. */
  readonly adopt?: boolean
}

/** Entries of every calendar file share their names: a UID is unique in the world (RFC 5545 §3.8.4.7). */
const SOURCE = 'ics'

/** How many characters of recurring entries are kept until the end of the file, where the last change to them may be. */
const MOST_ASIDE = 50_000_000

/** How many zones a calendar may describe. */
const MOST_ZONES = 1000

/** Imports a calendar while it arrives, in memory for a batch of events and the recurring entries. Null if it is none. */
export async function importCalendar(
  scope: Scope,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: CalendarOptions,
): Promise<imports.Report | null> {
  const reader = new CalendarImport(scope, imports.begin(scope, SOURCE, options), options)
  const lines = new LineReader()
  for await (const chunk of chunks) await reader.take(lines.push(chunk))
  await reader.take(lines.end())
  return reader.finish()
}

class CalendarImport {
  readonly #scope: Scope
  readonly #run: imports.Run
  readonly #components = new ComponentReader()
  readonly #descriptions = new Map<string, Component>()
  readonly #zones = new Map<string, Zone | null>()
  readonly #reader: EntryReader
  readonly #seen = new Set<string>()
  /** What can only be read when all has been seen: recurring entries, changes to them, zones described later. */
  readonly #aside: Component[] = []
  #asideSize = 0
  readonly #turn = new Turn()
  readonly #most: number
  readonly #images: ImportedImages
  #items: imports.Item[] = []

  constructor(scope: Scope, run: imports.Run, options: CalendarOptions) {
    const { most = Number.POSITIVE_INFINITY, mostImages, adopt = false } = options
    this.#most = most
    this.#reader = { scope, adopt, terms: new TermsSaid() }
    this.#scope = scope
    this.#run = run
    this.#images = new ImportedImages(scope, run, { most: mostImages })
  }

  async take(lines: readonly UnfoldedLine[]): Promise<void> {
    for (const line of lines) {
      const component = this.#components.push(line)
      if (component !== null) this.#sort(component)
      if (this.#items.length >= imports.BATCH) await this.#flush()
      if (this.#turn.isOver) await this.#turn.pass()
    }
  }

  async finish(): Promise<imports.Report | null> {
    const unfinished = this.#components.end()
    if (unfinished !== null) this.#sort(unfinished)
    if (!this.#components.isCalendar && this.#seen.size === 0 && this.#run.report.skipped === 0) return null
    await this.#flush()
    this.#zones.clear()
    await this.#series()
    await bringParents(this.#scope, this.#run)
    return this.#run.report
  }

  #sort(component: Component): void {
    if (component.name === 'VTIMEZONE') {
      const tzid = first(component, 'TZID')
      if (tzid !== undefined && this.#descriptions.size < MOST_ZONES) this.#descriptions.set(tzid.value, component)
      this.#zones.clear()
      return
    }
    for (const { value } of component.properties.get('X-KALENDS-TERM') ?? []) this.#reader.terms.add(value)
    const recurs = ['RRULE', 'RDATE', 'RECURRENCE-ID'].some((name) => component.properties.has(name))
    if (recurs || unknownZoneOf(component, this.#context()) !== null) this.#setAside(component)
    else
      this.#read(component, (entry) =>
        this.#add({ entry, start: entry.start, end: entry.end, part: '', parent: null, sharesDay: false }),
      )
  }

  #setAside(component: Component): void {
    this.#asideSize += component.size
    if (this.#asideSize <= MOST_ASIDE) this.#aside.push(component)
    else this.#skip(component, { problem: 'too_many_recurring' })
  }

  /** Reads an entry; one that cannot be read does not stop the others. */
  #read(component: Component, then: (entry: CalendarEntry) => void): void {
    try {
      then(readEntry(component, this.#context()))
    } catch (error) {
      if (!(error instanceof EntryError)) throw error
      this.#skip(component, { problem: error.problem, ...error.fill })
    }
  }

  #skip(component: Component, problem: imports.Note['problem']): void {
    const uid = unescapeText(first(component, 'UID')?.value ?? '')
    imports.note(this.#run, { line: component.line, uid, problem })
  }

  #add(occurrence: Occurrence): void {
    const { entry } = occurrence
    const item = itemOf(this.#reader, occurrence)
    // A feed of this site says less of an event than is known of it here.
    if (this.#reader.adopt && ownId(this.#scope, entry.uid) !== null && entry.fields === null) {
      imports.note(this.#run, { line: item.line, uid: item.uid, problem: { problem: 'entry_own' } })
      return
    }
    const key = imports.hashOf([item.uid, item.part])
    if (this.#seen.has(key)) {
      imports.note(this.#run, { line: item.line, uid: item.uid, problem: { problem: 'entry_repeated' } })
      return
    }
    if (this.#seen.size >= this.#most) {
      imports.note(this.#run, {
        line: item.line,
        uid: item.uid,
        problem: { problem: 'too_many_events', most: this.#most },
      })
      return
    }
    this.#seen.add(key)
    this.#items.push(item)
  }

  async #flush(): Promise<void> {
    const items = this.#items
    this.#items = []
    await imports.save(this.#scope, this.#run, await this.#images.bringAll(items))
  }

  /** Recurring entries and what changes them, one entry after another. */
  async #series(): Promise<void> {
    const byUid = new Map<string, CalendarEntry[]>()
    for (const component of this.#aside.splice(0)) {
      this.#read(component, (entry) => {
        const uid = uidOf(this.#reader, entry)
        const entries = byUid.get(uid)
        if (entries === undefined) byUid.set(uid, [entry])
        else entries.push(entry)
      })
      if (this.#turn.isOver) await this.#turn.pass()
    }
    const now = toWallClock(this.#scope.clock(), this.#scope.site.timezone)
    for (const [uid, entries] of byUid) {
      if (this.#turn.isOver) await this.#turn.pass()
      const line = entries[0]?.line ?? 0
      if (this.#seen.size >= this.#most) {
        imports.note(this.#run, { line, uid, problem: { problem: 'too_many_events', most: this.#most } })
        continue
      }
      const { occurrences, cut, whole } = seriesOf(entries, now)
      for (const occurrence of occurrences) {
        this.#add(occurrence)
        if (this.#items.length >= imports.BATCH) await this.#flush()
        if (this.#turn.isOver) await this.#turn.pass()
      }
      if (cut)
        imports.note(this.#run, { line, uid, problem: { problem: 'series_cut', most: occurrences.length } }, false)
      if (whole !== null) {
        await this.#flush()
        await imports.dropOthers(this.#scope, this.#run, uid, new Set(occurrences.map(({ part }) => part)), whole)
      }
    }
    await this.#flush()
  }

  #context(): Zones {
    const { timezone } = this.#scope.site
    const named = (tzid: string) => {
      const known = this.#zones.get(tzid)
      if (known !== undefined) return known
      const description = this.#descriptions.get(tzid)
      const zone =
        zoneNamed(tzid) ??
        (description === undefined ? null : zoneDescribed(description, timezone, this.#scope.clock()))
      if (this.#zones.size < MOST_ZONES) this.#zones.set(tzid, zone)
      return zone
    }
    const shown = this.#components.zone === null ? null : zoneNamed(this.#components.zone)
    return { named, floating: timezone, shown: shown ?? timezone }
  }
}
