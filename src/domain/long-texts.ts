import { TimeSlice } from '../lib/time-slices.ts'
import { eventFields } from '../schema/event.ts'
import { type Fields, readAhead } from '../schema/field.ts'
import { LINKED_FIELDS, LINKED_KINDS, type LinkedKind, type RecordKind } from '../schema/linked.ts'
import { categoryFields } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/events.ts'
import { earlyFields, nestedRecords } from './payload.ts'
import { type Ref, readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

type Kind = RecordKind | 'term'

const FIELDS: Record<Kind, Fields> = { event: eventFields, ...LINKED_FIELDS, term: categoryFields }

/** From this length, in characters, a write gets a commit of its own, so that others do not wait for it. */
const LARGE = 20_000

/**
 * Sanitizes the long texts of a payload, also of nested records, before the transaction, and yields to other requests.
 * Returns whether they are so long that the write needs its own commit. Problems are reported later.
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

/** Whether a stored event is so long, or has so many children, that writing it needs its own commit. */
export async function isLongEvent({ db }: Scope, ref: Ref): Promise<boolean> {
  if ('id' in ref && !Number.isSafeInteger(ref.id)) return false
  const [found] = await ('id' in ref
    ? db.lookUp(storage.SIZE_BY_ID, ref.id)
    : db.lookUp(storage.SIZE_BY_SLUG, ref.slug))
  return found !== undefined && (found.size >= LARGE || Number(found.children) >= storage.MANY_CHILDREN)
}

/** Writes in a shared commit, or in its own if long. */
export function writeBySize<T>({ db }: Scope, isLong: boolean, work: (tx: Tx) => Promise<T>): Promise<T> {
  return isLong ? db.writeMany(work) : db.write(work)
}

/** The payload and its nested records, with their fields. */
function partsOf(kind: Kind, payload: Payload): (readonly [Fields, Record<string, unknown>])[] {
  const raw = earlyFields(payload)
  const inside = (part: LinkedKind) => nestedRecords(raw, part).map((data) => [FIELDS[part], data] as const)
  return [[FIELDS[kind], raw], ...(kind === 'event' ? LINKED_KINDS.flatMap(inside) : [])]
}
