import { refuse } from '../lib/errors.ts'
import { eventFields } from '../schema/event.ts'
import { type Field, readFields } from '../schema/field.ts'
import { LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/event-batch.ts'
import { publishLinkedDrafts } from '../storage/events.ts'
import { reserveIds } from '../storage/records.ts'
import { publish } from '../storage/terms.ts'
import { need, rightsOf } from './access.ts'
import { resolveTimes } from './event-times.ts'
import { identityOf, store } from './event-writing.ts'
import { storeFree } from './free-events.ts'
import { checkPublication, readingOf } from './records.ts'
import type { Scope } from './scope.ts'

/** The ids of what an event is linked to. */
export interface EventLinks extends Readonly<Record<LinkedKind, readonly number[]>> {
  readonly terms: readonly number[]
}

/** Fields that are not stored as they are, but are written with the row. */
const IN_ROW = ['start_date', 'end_date', 'timezone', 'date', 'date_utc', 'slug', 'status', 'parent']

/** Fields that need more than one event's own row, and so its own way of being stored. */
const FIELDS_STORED_APART = Object.entries<Field>(eventFields)
  .filter(([name, field]) => !field.stored && !IN_ROW.includes(name))
  .map(([name]) => name)

/** Limit on ids reserved at once. */
const MAX_RESERVED = 64

/** Whether an event with these fields can be created in a batch. */
export function isPlain(fields: Record<string, unknown>): boolean {
  return FIELDS_STORED_APART.every((name) => fields[name] === undefined)
}

/**
 * Creates events in one transaction. Each is validated before any of it is stored, so a refused event leaves nothing
 * behind. Links and counts of all events are written at the end.
 */
export class EventBatch {
  readonly #tx: Tx
  readonly #scope: Scope
  #ids: number[] = []
  #reserveCount = 1
  readonly #created: (EventLinks & { event: number })[] = []

  constructor(tx: Tx, scope: Scope) {
    need(rightsOf(scope.user).create)
    this.#tx = tx
    this.#scope = scope
  }

  /** Stores the row of a new event. `links` is called after the fields were validated. */
  async create(fields: Record<string, unknown>, links: () => Promise<EventLinks>): Promise<number> {
    const reading = readingOf(this.#scope)
    const { values, problems } = readFields(eventFields, fields, { mode: 'create', reading })
    checkPublication(this.#scope, values, problems)
    const times = resolveTimes(values, null, this.#scope.site.timezone, problems)
    refuse(problems)
    const linked = await links()
    const request = { values, problems, passwordHash: null, fetched: new Map() }
    const identity = await identityOf(this.#tx, this.#scope, values, null, await this.#nextId())
    const row = await store(this.#tx, this.#scope, request, { ...times }, null, identity)
    const { id } = row
    if (values.cost) await storeFree(this.#tx, row, null, true)
    this.#created.push({ ...linked, event: id })
    return id
  }

  /** Doubles the number of reserved ids each time, so that few are left over. */
  async #nextId(): Promise<number | null> {
    if (this.#ids.length === 0) {
      this.#reserveCount = Math.min(this.#reserveCount * 2, MAX_RESERVED)
      this.#ids = await reserveIds(this.#tx, this.#reserveCount)
    }
    return this.#ids.shift() ?? null
  }

  /** Writes links and counts. Must be called before the events are read. */
  async finish(): Promise<void> {
    const made = this.#created.splice(0)
    const tx = this.#tx
    for (const kind of LINKED_KINDS) {
      await storage.link(
        tx,
        kind,
        made.map((one) => ({ event: one.event, linked: one[kind] })),
      )
    }
    await storage.addTerms(tx, made)
    const published = await storage.published(
      tx,
      made.map(({ event }) => event),
    )
    const open = new Set(published.filter((event) => event.open).map(({ id }) => id))
    const counts = new Map<number, number>()
    for (const { event, terms } of made) {
      if (open.has(event)) for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1)
    }
    await storage.countTerms(tx, counts)
    await publish(tx, [...counts.keys()])
    for (const [author, events] of Map.groupBy(published, (event) => event.author)) {
      const ids = events.map(({ id }) => id)
      await publishLinkedDrafts(tx, ids, author, this.#scope.clock())
    }
  }
}
