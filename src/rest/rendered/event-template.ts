import { hash, randomUUID } from 'node:crypto'
import type { Links, OwnData } from '../../domain/event-data.ts'
import type { Event } from '../../domain/events.ts'
import type { Site } from '../../domain/scope.ts'
import type { Addresses } from '../../http/addresses.ts'
import { byLinkedKind, byLinkedPlural, type LinkedKind } from '../../schema/linked.ts'
import { eventLd, inertLd } from '../json-ld.ts'
import { event } from '../present-event.ts'

/**
 * An event's own JSON, with holes for what belongs to others and changes without it: its terms, whose counts move with
 * every event, its venues and organizers, and its parent.
 */
export interface Template {
  readonly revision: number
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

/** Random marker that no event text can contain on purpose. */
const SECRET = `\x7f${randomUUID()}`
const hole = (name: Hole) => `${SECRET} ${name}`

/** Makes the template of an event that is shown whole: as in a list, or by itself. */
export function templateOf({ links, ...own }: OwnData, addresses: Addresses, site: Site, isAlone: boolean): Template {
  const shown: Event = { ...own, ...NOTHING }
  const listed = JSON.stringify({ ...event(shown, addresses, site, SHOWN_AS_HOLES), end: hole('end') })
  const further = isAlone ? JSON.stringify({ json_ld: inertLd(descriptionOf(shown, addresses, site)) }) : ''
  const { text, cuts, holes } = withoutHoles(`${listed.slice(0, -1)},${further.slice(1)}`)
  const end = cuts[holes.indexOf('end')]
  const marks = [text.slice(0, end), ...(isAlone ? [text.slice(end)] : [])].map(markOf)
  return { revision: own.row.revision, marks, text, cuts, holes: shared(holes.join()), links, isAlone }
}

/** A template as one text: its text after a line with all else. */
export function packed({ text, holes, ...others }: Template): string {
  return `${JSON.stringify({ ...others, holes: holes.join() })}\n${text}`
}

export function unpacked(packed: string): Template {
  const end = packed.indexOf('\n')
  const { holes, ...others } = JSON.parse(packed.slice(0, end)) as Omit<Template, 'text' | 'holes'> & { holes: string }
  return { ...others, holes: shared(holes), text: packed.slice(end + 1) }
}

/** Takes the members whose value is a hole out of JSON. */
function withoutHoles(json: string): { text: string; cuts: number[]; holes: Hole[] } {
  let text = ''
  let from = 0
  const cuts: number[] = []
  const holes: Hole[] = []
  for (let at = json.indexOf(SECRET); at !== -1; at = json.indexOf(SECRET, from)) {
    const end = json.indexOf('"', at)
    text += json.slice(from, json.lastIndexOf(',"', at))
    cuts.push(text.length)
    holes.push(json.slice(at + SECRET.length + 1, end) as Hole)
    from = end + 1
  }
  return { text: text + json.slice(from), cuts, holes }
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

function descriptionOf(shown: Event, addresses: Addresses, site: Site) {
  return eventLd(shown, addresses, site, {
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
