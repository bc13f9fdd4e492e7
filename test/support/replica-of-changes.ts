import assert from 'node:assert/strict'
import { type Change, type ChangeListParameters, Kalends } from '../../packages/client/src/index.ts'
import type { Role } from '../../src/domain/access.ts'
import { type Json, PASSWORD, type Service } from './service.ts'

/** The typed client of a reader. */
function clientOf(service: Pick<Service, 'inject'>, role: Role | null): Kalends {
  return new Kalends({
    url: 'http://calendar.example.org:8080',
    ...(role !== null && { username: role, password: PASSWORD }),
    async fetch(address, init) {
      const { pathname, search } = new URL(String(address))
      const headers = Object.fromEntries(new Headers(init?.headers))
      const { body, statusCode } = await service.inject({ method: 'GET', url: pathname + search, headers })
      return new Response(body, { status: statusCode })
    },
  })
}

/** A client that keeps a copy of all that a reader sees, by asking for changes. */
export class Copy {
  /** Records by type and id, as they were told. */
  readonly records = new Map<string, Json>()
  /** Types and ids that were ever told as changed. */
  readonly told = new Set<string>()
  #token: string | undefined
  readonly #client: Kalends
  readonly #query: ChangeListParameters

  constructor(service: Pick<Service, 'inject'>, role: Role | null, query: ChangeListParameters = {}) {
    this.#client = clientOf(service, role)
    this.#query = { include: ['record'], ...query }
  }

  get token(): string | undefined {
    return this.#token
  }

  /** Applies all changes since the last call. Returns them. */
  async follow(): Promise<Change[]> {
    const since = this.#token === undefined ? {} : { since: this.#token }
    const stream = this.#client.changes({ ...this.#query, ...since })
    const all: Change[] = []
    for await (const change of stream) {
      const key = `${change.type} ${change.id}`
      if (this.#token === undefined) assert.equal(change.action, 'changed', 'a first read tells no removals')
      if (change.action === 'removed') this.records.delete(key)
      else {
        this.records.set(key, change.record)
        this.told.add(key)
      }
      all.push(change)
    }
    this.#token = stream.token
    return all
  }
}

/**
 * What a record shows of itself: all but the counts of terms, and what it shows of other records, which are told by
 * themselves. Of those it has the ids.
 */
export function own(key: string, { json_ld: _, count: __, ...record }: Json): Json {
  if (!key.startsWith('event ')) return record
  const ids = (shown: Json) => [shown].flat().map(({ id }: Json) => id)
  const links = ['venue', 'organizer', 'categories', 'tags'].map((name) => [name, ids(record[name])])
  return { ...record, ...Object.fromEntries(links) }
}

/** Compares a copy with what its reader is told who reads everything now. */
export async function compareWithTruth(service: Pick<Service, 'inject'>, role: Role | null, copy: Copy): Promise<void> {
  await copy.follow()
  const fresh = new Copy(service, role)
  await fresh.follow()
  for (const key of new Set([...fresh.records.keys(), ...copy.records.keys()])) {
    const [has, shown] = [copy, fresh].map(({ records }) => records.has(key) && own(key, records.get(key)))
    assert.deepEqual(has, shown, `${key} in the copy of ${role ?? 'everybody'}`)
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
