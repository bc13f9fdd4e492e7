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
  /** Hash of the content. */
  readonly mark: string
  /** Bytes without the holes. */
  readonly body: Buffer
  /** Offsets of the holes. */
  readonly cuts: readonly number[]
  readonly holes: readonly Hole[]
  readonly links: Links
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
const SECRET = randomUUID()
const hole = (name: Hole) => `${SECRET} ${name}`
const HOLES = new RegExp(`,"\\w+":"${SECRET} (\\w+)"`)

/** Makes the template of an event that everybody may see whole. */
export function templateOf({ links, ...own }: OwnData, addresses: Addresses, site: Site): Template {
  const shown: Event = { ...own, ...NOTHING }
  const body = {
    ...event(shown, addresses, site, {
      parent: hole('parent'),
      categories: hole('categories'),
      tags: hole('tags'),
      linked: byLinkedKind(hole),
      series: { hole: hole('series') },
    }),
    end: hole('end'),
    json_ld: inertLd(
      eventLd(shown, addresses, site, {
        location: hole('location'),
        organizer: hole('ld_organizer'),
        eventSchedule: own.row.series === null ? null : hole('schedule'),
      }),
    ),
  }
  const text = JSON.stringify(body)
  const parts = text.split(HOLES)
  const pieces = parts.filter((_, n) => n % 2 === 0).map((piece) => Buffer.from(piece))
  let at = 0
  const cuts = pieces.slice(0, -1).map((piece) => {
    at += piece.length
    return at
  })
  return {
    revision: own.row.revision,
    mark: hash('sha1', text.replaceAll(SECRET, ''), 'base64url').slice(0, 12),
    body: Buffer.concat(pieces),
    cuts,
    holes: shared(parts.filter((_, n) => n % 2 === 1) as Hole[]),
    links,
  }
}

const known = new Map<string, Hole[]>()

/** Shared list of holes: few combinations exist. */
function shared(holes: Hole[]): Hole[] {
  const key = holes.join()
  const one = known.get(key) ?? holes
  known.set(key, one)
  return one
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

/** Metadata of a template as text, for the store. */
export function headOf({ mark, cuts, holes, links }: Template): string {
  return JSON.stringify([mark, cuts, holes, links])
}

export function templateFrom(revision: number, head: string, body: Buffer): Template {
  const [mark, cuts, holes, links] = JSON.parse(head) as [string, number[], Hole[], Links]
  return { revision, mark, body, cuts, holes: shared(holes), links }
}
