import { refuse } from '../lib/errors.ts'
import { eventFields } from '../schema/event.ts'
import { readFields } from '../schema/field.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/event-batch.ts'
import { publishLinkedDrafts } from '../storage/events.ts'
import { reserveIds } from '../storage/records.ts'
import { publish } from '../storage/terms.ts'
import { need, rightsOf } from './access.ts'
import { settleTimes } from './event-times.ts'
import { store } from './events.ts'
import { checkPublication, readingOf } from './records.ts'
import type { Scope } from './scope.ts'

/** The ids of what an event is linked to. */
export interface EventLinks {
  readonly venue: readonly number[]
  readonly organizer: readonly number[]
  readonly terms: readonly number[]
}

/** Fields that need more than one event's own row, and so its own way of being stored. */
const APART = ['author', 'image', 'tickets', 'password', 'venue', 'organizer', 'categories', 'tags'] as const

/** How many ids are drawn at once. */
const MAX_DRAWN = 64

/** Whether an event of these fields may be created in a batch. */
export function isPlain(fields: Record<string, unknown>): boolean {
  return APART.every((name) => fields[name] === undefined)
}

/**
 * Creates events in one transaction. Each is checked before anything of it is stored, so that one that is refused leaves
 * nothing behind; links and counts are written for all of them at the end.
 */
export class EventBatch {
  readonly #tx: Tx
  readonly #scope: Scope
  #ids: number[] = []
  #draw = 1
  readonly #made: (EventLinks & { event: number })[] = []

  constructor(tx: Tx, scope: Scope) {
    need(rightsOf(scope.user).create)
    this.#tx = tx
    this.#scope = scope
  }

  /** Stores the row of a new event; what it is linked to is asked for when the rest is known to be good. */
  async create(fields: Record<string, unknown>, links: () => Promise<EventLinks>): Promise<number> {
    const reading = readingOf(this.#scope)
    const { values, problems } = readFields(eventFields, fields, { mode: 'create', reading })
    checkPublication(this.#scope, values, problems)
    const times = settleTimes(values, null, this.#scope.site.timezone, problems)
    refuse(problems)
    const linked = await links()
    const request = { values, problems, passwordHash: null, fetched: new Map() }
    const { id } = await store(this.#tx, this.#scope, request, { ...times }, null, await this.#nextId())
    this.#made.push({ ...linked, event: id })
    return id
  }

  /** Draws more ids at once, the more were needed: few are left over. */
  async #nextId(): Promise<number | null> {
    if (this.#ids.length === 0) {
      this.#draw = Math.min(this.#draw * 2, MAX_DRAWN)
      this.#ids = await reserveIds(this.#tx, this.#draw)
    }
    return this.#ids.shift() ?? null
  }

  /** Writes links and counts; to be called before others look at the events. */
  async finish(): Promise<void> {
    const made = this.#made.splice(0)
    const tx = this.#tx
    for (const kind of ['venue', 'organizer'] as const) {
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
