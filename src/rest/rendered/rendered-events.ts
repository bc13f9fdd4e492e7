import { hash } from 'node:crypto'
import type { Links, Own, Parts, Shelf, Stub } from '../../domain/event-parts.ts'
import type { Site } from '../../domain/scope.ts'
import type { Term } from '../../domain/terms.ts'
import type { Addresses } from '../../http/addresses.ts'
import { inertLd, organizationLd, part, placeLd } from '../json-ld.ts'
import { linkedRecord } from '../present.ts'
import { embeddedTerm } from '../present-event.ts'
import { type Hole, templateOf } from './event-template.ts'
import type { TemplateStore } from './template-store.ts'

/** Bytes that are part of an answer: all of a buffer, or from one place in it to another. */
export interface Slice {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

/** An event that is ready to be sent, in pieces. */
export interface Ready {
  readonly pieces: readonly Slice[]
  /** Names what is in it. */
  readonly mark: string
}

/** What an event shows of something it is linked to, and how machines are told of it; undefined for what is not to be seen. */
interface Part {
  readonly json: Slice
  readonly ld: Slice
  readonly mark: string
  /** What terms are in order of. */
  readonly order: string
}

type Kind = keyof Links
const KINDS: readonly Kind[] = ['venue', 'organizer', 'category', 'tag', 'event']

/** How many of a kind are held at most. */
const MOST_PARTS = 20_000

/** Events as everybody sees them, ready to be put together: see domain/event-parts.ts. One for each way to write addresses. */
export class EventShelf {
  readonly #addresses: Addresses
  readonly #site: Site
  readonly #templates: TemplateStore
  #current: { readonly version: string; readonly view: ShelfView } | null = null

  constructor(addresses: Addresses, site: Site, templates: TemplateStore) {
    this.#templates = templates
    this.#addresses = addresses
    this.#site = site
  }

  /**
   * The shelf as it is at a version of the data. Whoever still works at another has a view of their own: what they read
   * of that state is not taken for this one's.
   */
  at(version: string): ShelfView {
    if (this.#current?.version !== version || this.#current.view.isLarge)
      this.#current = { version, view: new ShelfView(this.#addresses, this.#site, this.#templates) }
    return this.#current.view
  }
}

/** A shelf at one version of the data: templates are shared by all versions, what fills their holes is its own. */
export class ShelfView implements Shelf<Ready> {
  readonly #addresses: Addresses
  readonly #site: Site
  readonly #templates: TemplateStore
  readonly #parts = byKind(() => new Map<number, Part | undefined>())

  constructor(addresses: Addresses, site: Site, templates: TemplateStore) {
    this.#templates = templates
    this.#addresses = addresses
    this.#site = site
  }

  /** Whether it holds so much that another one should begin. */
  get isLarge(): boolean {
    return KINDS.some((kind) => this.#parts[kind].size > MOST_PARTS)
  }

  isFull(stubs: readonly Stub[]): boolean {
    for (const { id, revision } of stubs) {
      const links = this.#templates.get(id, revision)?.links
      if (links === undefined) return false
      for (const kind of KINDS) for (const linked of links[kind]) if (!this.#parts[kind].has(linked)) return false
    }
    return true
  }

  lacks(stubs: readonly Stub[]): number[] {
    return stubs.filter(({ id, revision }) => this.#templates.get(id, revision) === undefined).map(({ id }) => id)
  }

  put(own: Own): void {
    this.#templates.put(own.row.id, templateOf(own, this.#addresses, this.#site))
  }

  lacksOf(stubs: readonly Stub[]): Links {
    const lacking = byKind(() => new Set<number>())
    for (const { id, revision } of stubs) {
      const links = this.#templates.get(id, revision)?.links
      if (links === undefined) continue
      for (const kind of KINDS) {
        for (const linked of links[kind]) if (!this.#parts[kind].has(linked)) lacking[kind].add(linked)
      }
    }
    return byKind((kind) => [...lacking[kind]])
  }

  putParts(links: Links, parts: Parts): void {
    for (const kind of KINDS) {
      for (const id of links[kind]) this.#parts[kind].set(id, this.#partOf(kind, id, parts))
    }
  }

  /** The event as it is in a list or, with `alone`, by itself. */
  take({ id, revision }: Stub, alone = false): Ready {
    const template = this.#templates.get(id, revision)
    if (template === undefined) throw new Error('an event was taken that is not on the shelf')
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
      if (hole !== undefined) this.#fillHole(hole, links, pieces, marks)
    }
    pieces.push({ bytes: body, from, to: body.length })
    return { pieces, mark: marks.join(' ') }
  }

  #fillHole(hole: Hole, links: Links, pieces: Slice[], marks: string[]): void {
    const { kind, name, always, form = 'json' } = HOLES[hole]
    if (kind === null) return
    const shown: Part[] = []
    for (const id of links[kind]) {
      const part = this.#parts[kind].get(id)
      if (part) shown.push(part)
    }
    if (kind === 'category' || kind === 'tag') shown.sort((one, other) => (one.order < other.order ? -1 : 1))
    // One by itself, several as a list; what may be absent is so when there is none.
    const [first] = shown
    const isList = always === 'list' || shown.length !== 1
    if (first === undefined && always === undefined) return
    pieces.push(isList ? name.list : name.one)
    for (const [n, part] of shown.entries()) {
      if (n > 0) pieces.push(COMMA)
      pieces.push(part[form])
      marks.push(part.mark)
    }
    if (isList) pieces.push(END_OF_LIST)
  }

  #partOf(kind: Kind, id: number, parts: Parts): Part | undefined {
    if (kind === 'event') return parts.event.has(id) ? partFrom(id, null) : undefined
    if (kind === 'category' || kind === 'tag') {
      const term = parts[kind].get(id)
      return term && partFrom(embeddedTerm(term, this.#addresses), null, orderOf(term))
    }
    const linked = parts[kind].get(id)
    if (linked === undefined) return undefined
    const ld = kind === 'venue' ? placeLd(linked, this.#addresses) : organizationLd(linked, this.#addresses)
    return partFrom(linkedRecord(kind, linked, this.#addresses, this.#site.timezone), inertLd(part(ld)))
  }
}

function byKind<T>(make: (kind: Kind) => T): Record<Kind, T> {
  return Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<Kind, T>
}

/** Terms are in order of name, equals in order of id. */
function orderOf({ name_key, id }: Term): string {
  return `${name_key}\0${String(id).padStart(16, '0')}`
}

function partFrom(value: unknown, ld: unknown, order = ''): Part {
  const json = JSON.stringify(value)
  const mark = hash('sha1', json, 'base64url').slice(0, 8)
  return { json: slice(json), ld: slice(JSON.stringify(ld)), mark, order }
}

/** A text as a part of answers. */
export function slice(text: string): Slice {
  const bytes = Buffer.from(text)
  return { bytes, from: 0, to: bytes.length }
}

/** Puts parts of an answer together. */
export function join(pieces: readonly Slice[]): Buffer {
  let length = 0
  for (const { from, to } of pieces) length += to - from
  const whole = Buffer.allocUnsafe(length)
  let at = 0
  for (const { bytes, from, to } of pieces) at += bytes.copy(whole, at, from, to)
  return whole
}

const CLOSE = slice('}')
const COMMA = slice(',')
const END_OF_LIST = slice(']')

/** How a hole is filled: from what, under which name, in which form, and how when there is one or none. */
interface Filling {
  readonly kind: Kind | null
  readonly name: { readonly one: Slice; readonly list: Slice }
  /** `list`: always a list. `some`: a list unless there is exactly one. Otherwise absent when there is none. */
  readonly always?: 'list' | 'some'
  readonly form?: 'json' | 'ld'
}

const named = (name: string) => ({ one: slice(`,"${name}":`), list: slice(`,"${name}":[`) })

const HOLES: Record<Hole, Filling> = {
  parent: { kind: 'event', name: named('parent') },
  categories: { kind: 'category', name: named('categories'), always: 'list' },
  tags: { kind: 'tag', name: named('tags'), always: 'list' },
  venue: { kind: 'venue', name: named('venue'), always: 'some' },
  organizer: { kind: 'organizer', name: named('organizer'), always: 'list' },
  end: { kind: null, name: named('end') },
  location: { kind: 'venue', name: named('location'), form: 'ld' },
  ld_organizer: { kind: 'organizer', name: named('organizer'), form: 'ld' },
}
