import { hash, randomUUID } from 'node:crypto'
import type { Event } from '../domain/events.ts'
import type { Site } from '../domain/scope.ts'
import type { Links, Own } from '../domain/shelf.ts'
import type { Addresses } from './addresses.ts'
import { eventLd } from './json-ld.ts'
import { event } from './present-event.ts'

/**
 * An event's own JSON, with holes for what belongs to others and changes without it: its terms, whose counts move with
 * every event, its venues and organizers, and its parent.
 */
export interface Template {
  readonly revision: number
  /** Names what is in it. */
  readonly mark: string
  /** The pieces between the holes: one more than there are holes. */
  readonly pieces: readonly Buffer[]
  readonly holes: readonly Hole[]
  readonly links: Links
}

/** What a hole is filled with; at `end`, an event in a list ends and one by itself goes on. */
export type Hole = 'parent' | 'categories' | 'tags' | 'venue' | 'organizer' | 'end' | 'location' | 'ld_organizer'

/** Nobody who writes an event can guess it. */
const SECRET = randomUUID()
const hole = (name: Hole) => `${SECRET} ${name}`
const HOLES = new RegExp(`,"\\w+":"${SECRET} (\\w+)"`)

/** Makes the template of an event that everybody may see whole. */
export function templateOf({ links, ...own }: Own, addresses: Addresses, site: Site): Template {
  const shown: Event = { ...own, ...NOTHING }
  const body = {
    ...event(shown, addresses, site, {
      parent: hole('parent'),
      categories: hole('categories'),
      tags: hole('tags'),
      venue: hole('venue'),
      organizer: hole('organizer'),
    }),
    end: hole('end'),
    json_ld: eventLd(shown, addresses, site, { location: hole('location'), organizer: hole('ld_organizer') }),
  }
  const text = JSON.stringify(body)
  const parts = text.split(HOLES)
  return {
    revision: own.row.revision,
    mark: hash('sha1', text.replaceAll(SECRET, ''), 'base64url').slice(0, 12),
    pieces: parts.filter((_, n) => n % 2 === 0).map((piece) => Buffer.from(piece)),
    holes: parts.filter((_, n) => n % 2 === 1) as Hole[],
    links,
  }
}

/** What is not an event's own. */
const NOTHING = { venues: [], organizers: [], categories: [], tags: [], parent: null, distance: null, whole: true }

/** A template as a row of the store: its pieces one after the other, and all that is short as text. */
export function pack({ mark, pieces, holes, links }: Template): { head: string; body: Buffer } {
  return {
    head: JSON.stringify([mark, pieces.map((piece) => piece.length), holes, links]),
    body: Buffer.concat(pieces),
  }
}

export function unpack(revision: number, head: string, body: Uint8Array): Template {
  const [mark, lengths, holes, links] = JSON.parse(head) as [string, number[], Hole[], Links]
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = 0
  const pieces = lengths.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  return { revision, mark, pieces, holes, links }
}
