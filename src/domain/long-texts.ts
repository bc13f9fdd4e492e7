import { AppError } from '../lib/errors.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import { eventFields } from '../schema/event.ts'
import { type Fields, readAhead } from '../schema/field.ts'
import { organizerFields } from '../schema/organizer.ts'
import { categoryFields } from '../schema/term.ts'
import { venueFields } from '../schema/venue.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/events.ts'
import { type Ref, readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

type Kind = 'event' | 'venue' | 'organizer' | 'term'

const FIELDS: Record<Kind, Fields> = {
  event: eventFields,
  venue: venueFields,
  organizer: organizerFields,
  term: categoryFields,
}

/** From how many characters on a payload takes so long to store that nobody else's commit should wait for it. */
const LARGE = 20_000

/** How many venues, and organizers, are looked into: an event with more is refused. */
const MAX_INSIDE = 50

/**
 * Reads the long texts of a payload, and of venues and organizers inside it, before the transaction that needs them, and
 * lets others have their turn in between. Answers whether they are so long that nobody's commit should wait for them. What
 * is wrong with them is told later, in its turn.
 */
export async function readLongTexts(scope: Scope, kind: Kind, payload: Payload): Promise<boolean> {
  const turn = new TimeSlice()
  const reading = readingOf(scope)
  let length = 0
  for (const [fields, raw] of partsOf(kind, payload)) {
    length += await readAhead(fields, raw, { reading, turn })
  }
  return length >= LARGE
}

/** Whether an event that is here has so long a text that nobody's commit should wait until its words are indexed anew. */
export async function isLongEvent({ db }: Scope, ref: Ref): Promise<boolean> {
  if ('id' in ref && !Number.isSafeInteger(ref.id)) return false
  const [text] = await ('id' in ref
    ? db.lookUp(storage.TEXT_SIZE_BY_ID, ref.id)
    : db.lookUp(storage.TEXT_SIZE_BY_SLUG, ref.slug))
  return (text?.size ?? 0) >= LARGE
}

/** Writes what may be so long that it shares its commit with nobody. */
export function writeBySize<T>({ db }: Scope, isLong: boolean, work: (tx: Tx) => Promise<T>): Promise<T> {
  return isLong ? db.writeMany(work) : db.write(work)
}

/** The data of a payload, and of what lies inside it, with the fields that it may have. */
function partsOf(kind: Kind, payload: Payload): (readonly [Fields, Record<string, unknown>])[] {
  let raw: Record<string, unknown>
  try {
    raw = payload()
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
  const inside = (part: 'venue' | 'organizer') =>
    (Array.isArray(raw[part]) ? raw[part].slice(0, MAX_INSIDE) : [raw[part]])
      .filter((data) => typeof data === 'object' && data !== null)
      .map((data) => [FIELDS[part], data as Record<string, unknown>] as const)
  return [[FIELDS[kind], raw], ...(kind === 'event' ? [...inside('venue'), ...inside('organizer')] : [])]
}
