import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Logger } from 'pino'
import { createApp, readSite } from '../../src/app.ts'
import { type Config, readConfig, type SettingName } from '../../src/config.ts'
import { ROLES, type Role } from '../../src/domain/access.ts'
import { renderEvents } from '../../src/domain/event-rendering.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { eventRenderer } from '../../src/rest/rendered/rendered-events.ts'
import type { Database } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { OnQuery } from '../../src/storage/prepared.ts'
import * as users from '../../src/storage/users.ts'
import { checkLog } from './audit.ts'
import { freshStore, type Store } from './store.ts'

export const PASSWORD = 'a password for tests'
const passwordHash = hash(PASSWORD, { memoryCost: 8, timeCost: 1 })

export interface Call {
  readonly method?: InjectOptions['method']
  readonly query?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly form?: Record<string, string>
  readonly raw?: string | Buffer
}

export interface Service {
  readonly config: Config
  readonly db: Database
  /** Where the database is, as openDatabase takes it. */
  readonly where: string
  /** Ids of the users, one per role, each named like their role. */
  readonly ids: Record<Role, number>
  /** Sends a request to a path below the namespace, as a role or as nobody. */
  call(role: Role | null, path: string, call?: Call): Promise<LightMyRequestResponse>
  /** The same, and reads the answer, which must have this status. */
  expect(status: number, role: Role | null, path: string, call?: Call): Promise<Json>
  inject(options: InjectOptions): Promise<LightMyRequestResponse>
  listen(port?: number): Promise<string>
  /** Renders all events that were changed, as a background job does after some seconds. */
  render(): Promise<void>
  /** Runs background jobs until it is closed. */
  startJobs(): void
  close(): Promise<void>
}

/** A response body, to be looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any

export interface Options {
  readonly settings?: Partial<Record<SettingName, string>>
  readonly clock?: Clock
  readonly logger?: Logger | false
  readonly folder?: string
  /** In place of a fresh one. */
  readonly store?: Store
  readonly onQuery?: OnQuery
  /** Set if the test writes into tables by itself: then the audit log is not compared with them. */
  readonly writesTables?: boolean
}

/** A whole service on a fresh database, with a user for each role. */
export async function startService({
  settings = {},
  clock,
  logger = false,
  folder = ':memory:',
  store: given,
  onQuery,
  writesTables = false,
}: Options = {}): Promise<Service> {
  const files = mkdtempSync(join(tmpdir(), 'kalends-test-'))
  const config = readConfig(
    { timezone: 'America/New_York', baseUrl: 'http://calendar.example.org:8080', data: files, ...settings },
    {},
  )
  const store = given ?? (await freshStore(folder))
  const db = openDatabase(store.where, { onQuery, contents: store.contents })
  await db.migrate()
  const ids = (await usersOf(db)) ?? (await addUsers(db))
  const app = await createApp(config, db, { ...(clock && { clock }), logger })
  const call: Service['call'] = (role, path, options) => app.server.inject(request(role, path, options))
  let renders = 0
  return {
    config,
    db,
    where: store.where,
    ids,
    call,
    async expect(status, role, path, options) {
      const response = await call(role, path, options)
      if (response.statusCode !== status) {
        throw new Error(
          `${options?.method ?? 'GET'} ${path} answered ${response.statusCode}, not ${status}: ${response.body}`,
        )
      }
      return response.json()
    },
    inject: (options) => app.server.inject(options),
    async render() {
      // Hours later than the last time: then a change of settings is followed, too.
      const now = Math.floor(Date.now() / 1000) + ++renders * 7200
      const site = await readSite(config, db)
      const current = { last: site, read: async () => site }
      await renderEvents({ db, current, clock: () => now }, eventRenderer)
    },
    startJobs: () => app.startJobs(),
    listen: (port = 0) => app.server.listen({ port, host: '127.0.0.1' }),
    async close() {
      if (!writesTables) await checkLog(db)
      await app.close()
      await store.drop()
      rmSync(files, { recursive: true, force: true })
    },
  }
}

/** The `Authorization` header of a role's user. */
export function basic(role: string, password: string = PASSWORD): string {
  return `Basic ${Buffer.from(`${role}:${password}`).toString('base64')}`
}

/** A request to a path below the namespace, as a role or as nobody. */
export function request(
  role: Role | null,
  path: string,
  { method, query = {}, headers = {}, json, form, raw }: Call = {},
): InjectOptions {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, String(item))
    else search.append(name, String(value))
  }
  const hasBody = json !== undefined || form !== undefined || raw !== undefined
  return {
    method: method ?? (hasBody ? 'POST' : 'GET'),
    url: `/calendar/events/v1${path}${search.size > 0 ? `?${search}` : ''}`,
    headers: {
      ...(role && { authorization: basic(role) }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(json !== undefined && { payload: JSON.stringify(json) }),
    ...(form !== undefined && { payload: new URLSearchParams(form).toString() }),
    ...(raw !== undefined && { payload: raw }),
  }
}

async function addUsers(db: Database): Promise<Record<Role, number>> {
  const password_hash = await passwordHash
  return db.write(async (tx) => {
    const ids: Partial<Record<Role, number>> = {}
    for (const role of [...ROLES].reverse()) {
      ids[role] = await users.create(tx, {
        name: role,
        email: `${role}@example.org`,
        role,
        password_hash,
        created_utc: 0,
      })
    }
    return ids as Record<Role, number>
  })
}

/** Null in a fresh database. */
async function usersOf(db: Database): Promise<Record<Role, number> | null> {
  const rows = await db.read((tx) => tx.selectFrom('users').select(['name', 'id']).execute())
  if (rows.length === 0) return null
  return Object.fromEntries(rows.map(({ name, id }) => [name, id])) as Record<Role, number>
}
