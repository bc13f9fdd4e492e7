import { hash, randomUUID } from 'node:crypto'
import abbreviations from '../../calendar/abbreviations.json' with { type: 'json' }
import type { Links, OwnData } from '../../domain/event-data.ts'
import { ENTRY_FORM } from '../../domain/event-entries.ts'
import type { Event } from '../../domain/events.ts'
import type { Site } from '../../domain/scope.ts'
import type { Addresses } from '../../http/addresses.ts'
import { eventFields } from '../../schema/event.ts'
import { byLinkedKind, byLinkedPlural, type LinkedKind } from '../../schema/linked.ts'
import { eventLd, inertLd } from '../json-ld.ts'
import { event } from '../present-event.ts'
import { KINDS, type LinkKind } from './linked-cache.ts'

/**
 * An event's own JSON, with holes for what belongs to others and changes without it: its terms, whose counts move with
 * every event, its venues and organizers, its parent, and the addresses that it is read by.
 */
export interface Template {
  /** Hash of what a list shows, and of what only the event by itself shows. */
  readonly marks: readonly string[]
  /** JSON without the holes. */
  readonly text: string
  /** Offsets of the holes. */
  readonly cuts: readonly number[]
  readonly holes: readonly Hole[]
  readonly links: Links
  /** Whether it is the event by itself, with JSON-LD. */
  readonly isAlone: boolean
}

/** What a hole is filled with; at `end`, an event in a list ends and one by itself goes on. */
export type Hole =
  | LinkedKind
  | 'parent'
  | 'categories'
  | 'tags'
  | 'series'
  | 'end'
  | 'location'
  | 'ld_organizer'
  | 'schedule'
  | AddressHole

type AddressHole = 'home' | 'rest' | 'host'

/** Random marker that no event text can contain on purpose. */
const SECRET = `\x7f${randomUUID()}`
/** Stands for a member of an object. */
const hole = (name: Hole) => `${SECRET} ${name}`
/** Stands for the beginning of an address. All are of the same length. */
const addressHole = (name: AddressHole) => `${SECRET}/${name}`
const ADDRESS_END = SECRET.length + '/home'.length

/** Addresses that are filled in later. The language is that of other records. */
const ADDRESSES: Addresses = {
  home: addressHole('home'),
  pages: addressHole('home'),
  rest: addressHole('rest'),
  host: addressHole('host'),
  language: '',
}

/** Makes the template of an event that is shown whole: as in a list, or by itself. */
export function templateOf({ links, ...own }: OwnData, site: Site, isAlone: boolean): Template {
  const shown: Event = { ...own, ...NOTHING }
  const listed = JSON.stringify({ ...event(shown, ADDRESSES, site, SHOWN_AS_HOLES), end: hole('end') })
  const further = isAlone ? JSON.stringify({ json_ld: inertLd(descriptionOf(shown, site)) }) : ''
  const { text, cuts, holes } = withoutHoles(`${listed.slice(0, -1)},${further.slice(1)}`)
  const end = cuts[holes.indexOf('end')]
  const marks = [text.slice(0, end), ...(isAlone ? [text.slice(end)] : [])].map(markOf)
  return { marks, text, cuts, holes: shared(holes.join()), links, isAlone }
}

type Head = [holes: string, cuts: number[], marks: string[], ...links: number[][]]

/** The template of an event by itself as one text: its text after a line with all else. */
export function packed({ holes, cuts, marks, links, text }: Template): string {
  return `${JSON.stringify([holes.join(), cuts, marks, ...KINDS.map((kind) => links[kind])])}\n${text}`
}

export function unpacked(packed: string): Template {
  const end = packed.indexOf('\n')
  const head = JSON.parse(packed.slice(0, end)) as Head
  const [holes, cuts, marks] = head
  const links = {} as Record<LinkKind, number[]>
  for (let n = 0; n < KINDS.length; n++) links[KINDS[n] as LinkKind] = (head[n + 3] ?? []) as number[]
  return { holes: shared(holes), cuts, marks, links, text: packed.slice(end + 1), isAlone: true }
}

/** Takes the members whose value is a hole out of JSON, and the beginnings of addresses. */
function withoutHoles(json: string): { text: string; cuts: number[]; holes: Hole[] } {
  let text = ''
  let from = 0
  const cuts: number[] = []
  const holes: Hole[] = []
  for (let at = json.indexOf(SECRET); at !== -1; at = json.indexOf(SECRET, from)) {
    const isAddress = json[at + SECRET.length] === '/'
    const end = isAddress ? at + ADDRESS_END : json.indexOf('"', at)
    text += json.slice(from, isAddress ? at : json.lastIndexOf(',"', at))
    cuts.push(text.length)
    holes.push(json.slice(at + SECRET.length + 1, end) as Hole)
    from = isAddress ? end : end + 1
  }
  return { text: text + json.slice(from), cuts, holes }
}

/** To be raised when the JSON of events changes otherwise than by a new field: a guard test tells. */
const FORM = 1

/** What this program makes of an event, its entry in calendars included: both are stored together. */
export const PROGRAM_FORM = JSON.stringify([FORM, Object.keys(eventFields), KINDS, ENTRY_FORM])

const forms = new WeakMap<Site, number>()

/** A number that changes with all that the template of an event depends on, besides the event. */
export function formOf(site: Site): number {
  let form = forms.get(site)
  if (form === undefined) {
    const { tz, icu, cldr } = process.versions
    const parts = [PROGRAM_FORM, site.timezone, site.currency, tz, icu, cldr, abbreviations]
    form = Number.parseInt(hash('sha1', JSON.stringify(parts)).slice(0, 12), 16)
    forms.set(site, form)
  }
  return form
}

function markOf(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 12)
}

const SHOWN_AS_HOLES = {
  parent: hole('parent'),
  categories: hole('categories'),
  tags: hole('tags'),
  linked: byLinkedKind(hole),
  series: { hole: hole('series') },
}

function descriptionOf(shown: Event, site: Site) {
  return eventLd(shown, ADDRESSES, site, {
    location: hole('location'),
    organizer: hole('ld_organizer'),
    eventSchedule: shown.row.series === null ? null : hole('schedule'),
  })
}

const known = new Map<string, readonly Hole[]>()

/** Shared list of holes by their names: few combinations exist. */
function shared(names: string): readonly Hole[] {
  const holes = known.get(names) ?? (names.split(',') as Hole[])
  known.set(names, holes)
  return holes
}

/** Properties that depend on other records. */
const NOTHING = {
  ...byLinkedPlural(() => []),
  categories: [],
  tags: [],
  parent: null,
  series: null,
  distance: null,
  whole: true,
}
