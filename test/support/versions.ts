import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../src/storage/migrations/index.ts'
import { EARLIER, makeEarlier, migrateRaw, openRaw } from './earlier-versions.ts'
import { contentsOf, schemaOf } from './schema.ts'
import { copyStore, emptyStore, ON_POSTGRES, type Store } from './store.ts'

export const ALL = Object.keys(migrations)
export const ON_PURPOSE = 'ended on purpose'

export interface State {
  readonly schema: readonly string[]
  readonly contents: Record<string, readonly string[]>
}

/** All that a database holds. */
export async function stateOf(where: string): Promise<State> {
  const db = openRaw(where)
  try {
    return { schema: await schemaOf(db, ON_POSTGRES), contents: await contentsOf(db, ON_POSTGRES) }
  } finally {
    await db.destroy()
  }
}

/** Databases with the first few migrations, and copies of them. */
export class Versions {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kalends-migrations-'))
  readonly #stores: Store[] = []
  #count = 0

  async empty(): Promise<string> {
    const folder = join(this.#folder, String(++this.#count))
    mkdirSync(folder)
    return this.#keep(await emptyStore(folder))
  }

  /** One with so many migrations, as earlier versions left it or, later ones, as this one does. */
  async make(done: number): Promise<string> {
    const where = await this.empty()
    if (done === 0) return where
    await makeEarlier(where, Math.min(done, EARLIER.length))
    if (done > EARLIER.length) await migrateUntil(where, ALL[done] ?? '')
    return where
  }

  async copy(where: string): Promise<string> {
    if (ON_POSTGRES) return this.#keep(await copyStore(where))
    const to = join(this.#folder, String(++this.#count))
    cpSync(where, to, { recursive: true })
    return to
  }

  async drop(): Promise<void> {
    for (const store of this.#stores) await store.drop()
    rmSync(this.#folder, { recursive: true })
  }

  #keep(store: Store): string {
    this.#stores.push(store)
    return store.where
  }
}

function migrateUntil(where: string, name: string): Promise<void> {
  const migrating = migrateRaw(where, (news) => {
    if (news.kind === 'begun' && news.name === name) throw new Error(ON_PURPOSE)
  })
  return assert.rejects(migrating, { message: ON_PURPOSE })
}

/** Runs all migrations; answers how many statements one of them had. */
export async function countSteps(where: string, name: string): Promise<number> {
  let count = 0
  await migrateRaw(where, (news) => {
    if (news.kind === 'step' && news.name === name) count++
  })
  return count
}
