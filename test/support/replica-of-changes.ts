import assert from 'node:assert/strict'
import type { Role } from '../../src/domain/access.ts'
import type { Json, Service } from './service.ts'

/** A client that keeps a copy of all that a reader sees, by asking for changes. */
export class Copy {
  /** Records by type and id, as they were told. */
  readonly records = new Map<string, Json>()
  /** Types and ids that were ever told as changed. */
  readonly told = new Set<string>()
  #token: string | undefined
  readonly #service: Pick<Service, 'expect'>
  readonly #role: Role | null
  readonly #query: Record<string, unknown>

  constructor(service: Pick<Service, 'expect'>, role: Role | null, query: Record<string, unknown> = {}) {
    this.#service = service
    this.#role = role
    this.#query = query
  }

  get token(): string | undefined {
    return this.#token
  }

  /** Applies all changes since the last call. Returns them. */
  async follow(): Promise<Json[]> {
    const all: Json[] = []
    for (;;) {
      const query = { include: 'record', ...this.#query, ...(this.#token !== undefined && { since: this.#token }) }
      const { changes, next, more } = await this.#service.expect(200, this.#role, '/changes', { query })
      const isFirst = this.#token === undefined
      for (const change of changes) {
        const key = `${change.type} ${change.id}`
        if (isFirst) assert.equal(change.action, 'changed', 'a first read tells no removals')
        if (change.action === 'removed') this.records.delete(key)
        else {
          this.records.set(key, change.record)
          this.told.add(key)
        }
      }
      all.push(...changes)
      this.#token = next
      if (!more) return all
    }
  }
}

const LISTS = { event: 'events', venue: 'venues', organizer: 'organizers', category: 'categories', tag: 'tags' }

/** All that a reader sees in lists, by type and id. */
export async function readAll(service: Service, role: Role | null): Promise<Map<string, Json>> {
  const found = new Map<string, Json>()
  for (const [type, list] of Object.entries(LISTS)) {
    let cursor: string | undefined
    do {
      const query = {
        per_page: 50,
        hide_empty: 'false',
        start_date: '0001-01-01',
        end_date: '9999-12-31',
        ...(cursor && { cursor }),
      }
      const page = await service.expect(200, role, `/${list}`, { query })
      for (const record of page[list]) found.set(`${type} ${record.id}`, record)
      cursor = page.next_cursor
    } while (cursor !== undefined)
  }
  return found
}
