import { hash } from 'node:crypto'
import type { EventStub, LinkedData, Links, OwnData, RenderedEventCache } from '../../domain/event-data.ts'
import type { ShownSeries } from '../../domain/events.ts'
import type { Site } from '../../domain/scope.ts'
import type { Term } from '../../domain/terms.ts'
import type { Addresses } from '../../http/addresses.ts'
import { cacheCounters } from '../../lib/metrics.ts'
import { byLinkedKind, LINKED_KINDS, SHOWN_ALONE } from '../../schema/linked.ts'
import { inertLd, linkedLd, part } from '../json-ld.ts'
import { linkedRecord } from '../present.ts'
import { embeddedTerm } from '../present-event.ts'
import { scheduleLd, seriesDates, seriesPart } from '../present-recurrence.ts'
import { type Hole, templateOf } from './event-template.ts'
import { type Slice, slice } from './slices.ts'
import type { Templates } from './template-store.ts'

/** A rendered event, in pieces. */
export interface RenderedEvent {
  readonly pieces: readonly Slice[]
  /** Changes with every piece: a hash for the ETag. */
  readonly mark: string
}

/** The JSON of a linked record, and its JSON-LD. */
interface LinkedJson {
  readonly json: Slice
  /** Null if there is none. */
  readonly ld: Slice | null
  readonly mark: string
  /** The sort key of terms. */
  readonly order: string
  /** The event of a series that shows its dates when it is alone, and this form. */
  readonly first?: { readonly id: number | null; readonly json: Slice }
}

type LinkKind = keyof Links
const KINDS: readonly LinkKind[] = [...LINKED_KINDS, 'category', 'tag', 'event', 'series']

const lookups = cacheCounters('event')

/** Limit on cached records of a kind. */
const MAX_LINKED = 20_000

/**
 * Renders events as everybody sees them, for one version of the data and one way to write addresses. Templates of events
 * outlive the version; the linked records that fill them do not.
 */
export class EventCache implements RenderedEventCache<RenderedEvent> {
  readonly #addresses: Addresses
  readonly #site: Site
  readonly #templates: Templates
  /** By kind and id; undefined for a record that not everybody may see. */
  readonly #linked = byKind(() => new Map<number, LinkedJson | undefined>())

  constructor(addresses: Addresses, site: Site, templates: Templates) {
    this.#addresses = addresses
    this.#site = site
    this.#templates = templates
  }

  /** Whether it has reached its limit and should be replaced. */
  get isFull(): boolean {
    return KINDS.some((kind) => this.#linked[kind].size > MAX_LINKED)
  }

  hasAll(stubs: readonly EventStub[]): boolean {
    for (const { id, revision } of stubs) {
      const links = this.#templates.get(id, revision)?.links
      if (links === undefined) return false
      for (const kind of KINDS) for (const linked of links[kind]) if (!this.#linked[kind].has(linked)) return false
    }
    return true
  }

  missing(stubs: readonly EventStub[]): number[] {
    const missing = stubs.filter(({ id, revision }) => this.#templates.get(id, revision) === undefined)
    lookups.miss.add(missing.length)
    lookups.hit.add(stubs.length - missing.length)
    return missing.map(({ id }) => id)
  }

  put(own: OwnData): void {
    this.#templates.put(own.row.id, templateOf(own, this.#addresses, this.#site))
  }

  missingLinks(stubs: readonly EventStub[]): Links {
    const missing = byKind(() => new Set<number>())
    for (const { id, revision } of stubs) {
      const links = this.#templates.get(id, revision)?.links
      if (links === undefined) continue
      for (const kind of KINDS) {
        for (const linked of links[kind]) if (!this.#linked[kind].has(linked)) missing[kind].add(linked)
      }
    }
    return byKind((kind) => [...missing[kind]])
  }

  putLinked(links: Links, linked: LinkedData): void {
    for (const kind of KINDS) {
      for (const id of links[kind]) this.#linked[kind].set(id, this.#render(kind, id, linked))
    }
  }

  withoutLinked(): EventCache {
    return new EventCache(this.#addresses, this.#site, this.#templates)
  }

  take({ id, revision }: EventStub, alone = false): RenderedEvent {
    const template = this.#templates.get(id, revision)
    if (template === undefined) throw new Error('an event was taken that is not in the cache')
    const { body, cuts, holes, links } = template
    const pieces: Slice[] = []
    const marks = [template.mark]
    let from = 0
    for (const [n, to] of cuts.entries()) {
      pieces.push({ bytes: body, from, to })
      from = to
      const hole = holes[n]
      if (hole === 'end' && !alone) {
        pieces.push(CLOSE)
        return { pieces, mark: marks.join(' ') }
      }
      if (hole === 'series') this.#fillSeries(links, alone ? id : null, pieces, marks)
      else if (hole !== undefined) this.#fillHole(hole, links, pieces, marks)
    }
    pieces.push({ bytes: body, from, to: body.length })
    return { pieces, mark: marks.join(' ') }
  }

  /** Adds the members of a series to those of an occurrence. One of these has its dates, too, if it is alone. */
  #fillSeries({ series: [id = 0] }: Links, event: number | null, pieces: Slice[], marks: string[]): void {
    const series = this.#linked.series.get(id)
    if (series === undefined) return
    const isWithDates = event !== null && series.first?.id === event
    pieces.push(isWithDates && series.first !== undefined ? series.first.json : series.json)
    marks.push(isWithDates ? `${series.mark} with dates` : series.mark)
  }

  #fillHole(hole: Exclude<Hole, 'series'>, links: Links, pieces: Slice[], marks: string[]): void {
    const { kind, name, always, form = 'json' } = HOLES[hole]
    if (kind === null) return
    const shown: LinkedJson[] = []
    for (const id of links[kind]) {
      const linked = this.#linked[kind].get(id)
      if (linked && linked[form] !== null) shown.push(linked)
    }
    if (kind === 'category' || kind === 'tag') shown.sort((one, other) => (one.order < other.order ? -1 : 1))
    // One by itself, several as a list; what may be absent is so when there is none.
    const [first] = shown
    const isList = always === 'list' || shown.length !== 1
    if (first === undefined && always === undefined) return
    pieces.push(isList ? name.list : name.one)
    for (const [n, linked] of shown.entries()) {
      if (n > 0) pieces.push(COMMA)
      pieces.push(linked[form] ?? EMPTY)
      marks.push(linked.mark)
    }
    if (isList) pieces.push(END_OF_LIST)
  }

  #render(kind: LinkKind, id: number, data: LinkedData): LinkedJson | undefined {
    if (kind === 'event') return data.event.has(id) ? linkedJson(id, null) : undefined
    if (kind === 'category' || kind === 'tag') {
      const term = data[kind].get(id)
      return term && linkedJson(embeddedTerm(term, this.#addresses), null, orderOf(term))
    }
    if (kind === 'series') {
      const series = data.series.get(id)
      return series && seriesJson(series, this.#addresses.language)
    }
    const linked = data[kind].get(id)
    if (linked === undefined) return undefined
    const ld = linkedLd[kind](linked, this.#addresses)
    return linkedJson(linkedRecord(kind, linked, this.#addresses, this.#site.timezone), inertLd(part(ld)))
  }
}

function byKind<T>(make: (kind: LinkKind) => T): Record<LinkKind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<LinkKind, T>
}

/** Terms are in order of name, equals in order of id. */
function orderOf({ name_key, id }: Term): string {
  return `${name_key}\0${String(id).padStart(16, '0')}`
}

function linkedJson(value: unknown, ld: unknown, order = ''): LinkedJson {
  const json = JSON.stringify(value)
  const mark = hash('sha1', json, 'base64url').slice(0, 8)
  return { json: slice(json), ld: slice(JSON.stringify(ld)), mark, order }
}

/** Members of a series, which follow others. */
function seriesJson(series: ShownSeries, language: string): LinkedJson {
  const members = (value: object) => `,${JSON.stringify(value).slice(1, -1)}`
  const json = members(seriesPart(series, language))
  const dates = members(seriesDates(series))
  const mark = hash('sha1', `${json}${dates}`, 'base64url').slice(0, 8)
  const schedule = scheduleLd(series)
  const ld = schedule && slice(JSON.stringify(inertLd(schedule)))
  return { json: slice(json), first: { id: series.first, json: slice(json + dates) }, ld, mark, order: '' }
}

const EMPTY = slice('')
const CLOSE = slice('}')
const COMMA = slice(',')
const END_OF_LIST = slice(']')

/** How a hole is filled: source, property name and form. */
interface Filling {
  readonly kind: LinkKind | null
  readonly name: { readonly one: Slice; readonly list: Slice }
  /** `list`: always a list. `some`: a list unless there is exactly one. Otherwise absent when there is none. */
  readonly always?: 'list' | 'some'
  readonly form?: 'json' | 'ld'
}

const named = (name: string) => ({ one: slice(`,"${name}":`), list: slice(`,"${name}":[`) })

const HOLES: Record<Exclude<Hole, 'series'>, Filling> = {
  parent: { kind: 'event', name: named('parent') },
  categories: { kind: 'category', name: named('categories'), always: 'list' },
  tags: { kind: 'tag', name: named('tags'), always: 'list' },
  ...byLinkedKind((kind): Filling => {
    return { kind, name: named(kind), always: SHOWN_ALONE.includes(kind) ? 'some' : 'list' }
  }),
  end: { kind: null, name: named('end') },
  location: { kind: 'venue', name: named('location'), form: 'ld' },
  ld_organizer: { kind: 'organizer', name: named('organizer'), form: 'ld' },
  schedule: { kind: 'series', name: named('eventSchedule'), form: 'ld' },
}
