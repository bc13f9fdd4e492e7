import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import * as users from '../../src/storage/users.ts'
import { basic, type Json, PASSWORD } from './service.ts'
import { freshStore } from './store.ts'

/** One of several services on one database. */
export interface Node {
  readonly db: Database
  /** Sends a request of the editor to a path below the namespace; the answer must have this status. */
  expect(status: number, path: string, json?: unknown, method?: 'POST' | 'PATCH'): Promise<Json>
}

export interface Cluster {
  readonly nodes: readonly Node[]
  close(): Promise<void>
}

/** Services that share nothing but a fresh database, which has an editor. */
export async function startNodes(count: number, { clock }: { clock?: Clock } = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-nodes-'))
  const store = await freshStore(folder)
  const password_hash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1 })
  const apps = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const db = openDatabase(store.where)
      await db.migrate()
      const config = readConfig({ data: join(folder, String(n)) }, {})
      return createApp(config, db, { ...(clock && { clock }), logger: false })
    }),
  )
  await apps[0]?.db.write((tx) =>
    users.create(tx, {
      name: 'editor',
      email: 'editor@example.org',
      role: 'editor',
      password_hash,
      created_utc: 0,
    }),
  )
  return {
    nodes: apps.map(({ db, server }) => ({
      db,
      async expect(status, path, json, method = json === undefined ? undefined : 'POST') {
        const response = await server.inject({
          method: method ?? 'GET',
          url: `/calendar/events/v1${path}`,
          headers: {
            authorization: basic('editor'),
            ...(json !== undefined && { 'content-type': 'application/json' }),
          },
          ...(json !== undefined && { payload: JSON.stringify(json) }),
        })
        if (response.statusCode !== status) {
          throw new Error(`${path} answered ${response.statusCode}, not ${status}: ${response.body}`)
        }
        return response.json()
      },
    })),
    async close() {
      await Promise.all(apps.map((app) => app.close()))
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
