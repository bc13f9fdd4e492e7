import { hash } from 'node:crypto'
import type {
  EventStub,
  LinkedData,
  Links,
  OwnData,
  RenderedEventCache,
  StoredTemplate,
} from '../../domain/event-data.ts'
import type { ShownSeries } from '../../domain/events.ts'
import type { Site } from '../../domain/scope.ts'
import type { Term } from '../../domain/terms.ts'
import type { Addresses } from '../../http/addresses.ts'
import { cacheCounters } from '../../lib/metrics.ts'
import { byLinkedKind, SHOWN_ALONE } from '../../schema/linked.ts'
import { inertLd, linkedLd, part } from '../json-ld.ts'
import { linkedRecord } from '../present.ts'
import { embeddedTerm } from '../present-event.ts'
import { scheduleLd, seriesDates, seriesPart } from '../present-recurrence.ts'
import { formOf, type Hole, type Template, templateOf, unpacked } from './event-template.ts'
import { byKind, KINDS, LinkedCache, type LinkedJson, type LinkKind } from './linked-cache.ts'

/** A rendered event. */
export interface RenderedEvent {
  readonly json: string
  /** Changes with every piece but counts: a hash for the ETag. */
  readonly mark: string
  /** Ids of the terms that it shows, in this order, and their counts. */
  readonly terms: readonly number[]
  readonly counts: readonly number[]
  /** Ids of its parent events. */
  readonly parents: readonly number[]
}

/** A rendered event to which more is added. */
interface Unfinished {
  json: string
  mark: string
  readonly terms: number[]
  readonly counts: number[]
  readonly parents: readonly number[]
}

const lookups = cacheCounters('event')

/**
 * Renders the events of a request, for one audience, one version of the data and one way to write addresses. The records that
 * fill their templates outlive the version, unless a write may have changed them.
 */
export class EventCache implements RenderedEventCache<RenderedEvent> {
  readonly #addresses: Addresses
  readonly #site: Site
  readonly form: number | null
  readonly #templates = new Map<number, { readonly revision: number; readonly template: Template }>()
  readonly #linked: LinkedCache
  /** Position of the version among the changes of the data: see FollowedChanges. */
  readonly #position: number

  /** Without the cache, no stored templates are used. */
  constructor(addresses: Addresses, site: Site, isCached: boolean, linked?: LinkedCache, position = 0) {
    this.#addresses = addresses
    this.#site = site
    this.form = isCached ? formOf(site) : null
    this.#linked = linked ?? new LinkedCache(position)
    this.#position = position
  }

  hasAll(stubs: readonly EventStub[], alone = false): boolean {
    for (const stub of stubs) {
      const links = this.#templateOf(stub, alone)?.links
      if (links === undefined) return false
      for (const kind of KINDS)
        for (const id of links[kind]) if (!this.#linked.has(kind, id, this.#position)) return false
    }
    return true
  }

  missing(stubs: readonly EventStub[], alone = false): number[] {
    return stubs.filter((stub) => this.#templateOf(stub, alone) === undefined).map(({ id }) => id)
  }

  restore({ event, revision, form, text }: StoredTemplate): void {
    if (form !== this.form) return
    lookups.hit.value++
    this.#templates.set(event, { revision, template: unpacked(text) })
  }

  put(own: OwnData, alone = false): void {
    const { id, revision } = own.row
    lookups.miss.value++
    this.#templates.set(id, { revision, template: templateOf(own, this.#site, alone) })
  }

  missingLinks(stubs: readonly EventStub[]): Links | null {
    let missing: Record<LinkKind, Set<number>> | null = null
    for (const stub of stubs) {
      const links = this.#templateOf(stub, false)?.links
      if (links === undefined) continue
      for (const kind of KINDS)
        for (const id of links[kind]) {
          if (this.#linked.has(kind, id, this.#position)) continue
          missing ??= byKind(() => new Set<number>())
          missing[kind].add(id)
        }
    }
    const found = missing
    return found && byKind((kind) => [...found[kind]])
  }

  putLinked(links: Links, linked: LinkedData): void {
    for (const kind of KINDS) {
      for (const id of links[kind]) this.#linked.put(kind, id, this.#position, this.#render(kind, id, linked))
    }
  }

  emptied(): EventCache {
    return new EventCache(this.#addresses, this.#site, this.form !== null)
  }

  take({ id, revision }: EventStub, alone = false): RenderedEvent {
    const template = this.#templateOf({ id, revision }, alone)
    if (template === undefined) throw new Error('an event was taken that is not in the cache')
    const { text, cuts, holes, links } = template
    // The address of a list is in its own mark.
    const mark = alone ? `${this.#addresses.rest} ${template.marks.join(' ')}` : (template.marks[0] ?? '')
    const shown: Unfinished = { json: '', mark, terms: [], counts: [], parents: links.event }
    let from = 0
    for (let n = 0; n < cuts.length; n++) {
      const to = cuts[n] as number
      const hole = holes[n] as Hole
      shown.json += text.slice(from, to)
      from = to
      if (hole === 'end' && !alone) {
        shown.json += '}'
        return shown
      }
      if (hole === 'home' || hole === 'rest' || hole === 'host') shown.json += this.#addresses[hole]
      else if (hole === 'series') this.#addSeries(shown, links, alone ? id : null)
      else this.#addLinked(shown, hole, links)
    }
    shown.json += text.slice(from)
    return shown
  }

  /** The template, if it is known. One of an event by itself serves for lists, too. */
  #templateOf({ id, revision }: Pick<EventStub, 'id' | 'revision'>, alone: boolean): Template | undefined {
    const known = this.#templates.get(id)
    return known?.revision === revision && (known.template.isAlone || !alone) ? known.template : undefined
  }

  /** Members of a series, which follow those of an occurrence. One of these has its dates, too, if it is alone. */
  #addSeries(shown: Unfinished, { series: [id = 0] }: Links, event: number | null): void {
    const series = this.#linked.get('series', id)
    if (series === undefined) return
    const isWithDates = event !== null && series.first?.id === event
    shown.mark += isWithDates ? ` ${series.mark} with dates` : ` ${series.mark}`
    shown.json += isWithDates && series.first !== undefined ? series.first.json : series.json
  }

  #addLinked(shown: Unfinished, hole: LinkHole, links: Links): void {
    const { kind, name, always, form = 'json' } = HOLES[hole]
    if (kind === null) return
    const found: LinkedJson[] = []
    for (const id of links[kind]) {
      const linked = this.#linked.get(kind, id)
      if (linked && linked[form] !== null) found.push(linked)
    }
    const isTerm = kind === 'category' || kind === 'tag'
    if (isTerm && found.length > 1) found.sort((one, other) => (one.order < other.order ? -1 : 1))
    // One by itself, several as a list; what may be absent is so when there is none.
    if (found.length === 0 && always === undefined) return
    const isList = found.length !== 1 || always === 'list'
    shown.json += isList ? `,"${name}":[` : `,"${name}":`
    for (let n = 0; n < found.length; n++) {
      const linked = found[n] as LinkedJson
      shown.json += n === 0 ? linked[form] : `,${linked[form]}`
      shown.mark += ` ${linked.mark}`
      if (!isTerm) continue
      shown.terms.push(linked.id)
      shown.counts.push(linked.count)
    }
    if (isList) shown.json += ']'
  }

  #render(kind: LinkKind, id: number, data: LinkedData): LinkedJson | undefined {
    if (kind === 'event') return data.event.has(id) ? linkedJson(id, null) : undefined
    if (kind === 'category' || kind === 'tag') {
      const term = data[kind].get(id)
      return term && termJson(term, this.#addresses)
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

/** Terms are in order of name by code point, equals in order of id. */
function orderOf({ name_key, id }: Term): string {
  return `${Buffer.from(name_key).toString('latin1')}\0${String(id).padStart(16, '0')}`
}

function linkedJson(value: unknown, ld: unknown): LinkedJson {
  const json = JSON.stringify(value)
  return { ...NO_TERM, json, ld: JSON.stringify(ld), mark: markOf(json) }
}

function termJson(term: Term, addresses: Addresses): LinkedJson {
  const { id, count } = term
  const shown = embeddedTerm(term, addresses)
  const mark = markOf(JSON.stringify({ ...shown, count: null }))
  return { json: JSON.stringify(shown), ld: null, mark, id, order: orderOf(term), count }
}

function markOf(json: string): string {
  return hash('sha1', json, 'base64url').slice(0, 8)
}

const NO_TERM = { id: 0, order: '', count: 0 }

/** Members of a series, which follow others. */
function seriesJson(series: ShownSeries, language: string): LinkedJson {
  const members = (value: object) => `,${JSON.stringify(value).slice(1, -1)}`
  const json = members(seriesPart(series, language))
  const dates = members(seriesDates(series))
  const mark = markOf(`${json}${dates}`)
  const schedule = scheduleLd(series)
  const ld = schedule && JSON.stringify(inertLd(schedule))
  return { ...NO_TERM, json, first: { id: series.first, json: json + dates }, ld, mark }
}

/** How a hole is filled: source, property name and form. */
interface Filling {
  readonly kind: LinkKind | null
  readonly name: string
  /** `list`: always a list. `some`: a list unless there is exactly one. Otherwise absent when there is none. */
  readonly always?: 'list' | 'some'
  readonly form?: 'json' | 'ld'
}

type LinkHole = Exclude<Hole, 'series' | 'home' | 'rest' | 'host'>

const HOLES: Record<LinkHole, Filling> = {
  parent: { kind: 'event', name: 'parent' },
  categories: { kind: 'category', name: 'categories', always: 'list' },
  tags: { kind: 'tag', name: 'tags', always: 'list' },
  ...byLinkedKind((kind): Filling => {
    return { kind, name: kind, always: SHOWN_ALONE.includes(kind) ? 'some' : 'list' }
  }),
  end: { kind: null, name: 'end' },
  location: { kind: 'venue', name: 'location', form: 'ld' },
  ld_organizer: { kind: 'organizer', name: 'organizer', form: 'ld' },
  schedule: { kind: 'series', name: 'eventSchedule', form: 'ld' },
}
