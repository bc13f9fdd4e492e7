import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { openDatabase } from '../../src/storage/database.ts'
import { CONTRACTING, migrations } from '../../src/storage/migrations/index.ts'
import type { Step } from '../../src/storage/migrations/steps.ts'
import { runCommand } from '../support/commands.ts'
import { Made } from '../support/contracting.ts'
import { openRaw } from '../support/earlier-versions.ts'
import { serveRefused } from '../support/processes.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'
import { some } from '../support/thorough.ts'
import { serveProcesses } from '../support/workers.ts'

/** A database that a later version has migrated. */
async function later(t: TestContext, timestamp: string): Promise<{ env: Record<string, string>; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-later-'))
  const store = await freshStore(folder)
  t.after(async () => {
    await store.drop()
    rmSync(folder, { recursive: true })
  })
  const env = { KALENDS_DATA: folder, KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '' }
  assert.equal((await runCommand(['migrate'], env)).code, 0)
  const db = openRaw(store.where)
  const statement = `insert into kysely_migration (name, timestamp) values ('9999-later', '${timestamp}')`
  await db.executeQuery(CompiledQuery.raw(statement))
  await db.destroy()
  return { env, folder }
}

describe('a database of a later version', () => {
  it('is refused with a sentence, if a migration contracts or does not say that it does not', async (t) => {
    for (const timestamp of some(['2031-01-01T00:00:00.000Z', ''], 1)) {
      const { env } = await later(t, timestamp)
      for (const { code, err } of [
        await serveRefused([], env),
        await serveRefused(['--workers', '2'], env),
        await runCommand(['user', 'list'], env),
      ]) {
        assert.equal(code, 1)
        assert.match(
          err,
          /^kalends: the database was made by a later version \(it has 9999-later\): start that version/,
        )
      }
    }
  })

  it('is used if its migrations only expand', async (t) => {
    const { env } = await later(t, '2031-01-01T00:00:00.000Z expands')
    const served = await serveProcesses([], env)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    assert.equal((await runCommand(['user', 'list'], env)).code, 0)
  })
})

describe('the list of migrations that contract', () => {
  it('names migrations that exist', () => {
    assert.deepEqual(
      [...CONTRACTING].filter((name) => !(name in migrations)),
      [],
    )
  })

  it('has those of released migrations that had the mark, and no others', () => {
    const released = [...CONTRACTING].filter((name) => name <= '0033-start-of-links')
    assert.deepEqual(released, ['0004-speed', '0006-words', '0014-word-search'])
  })

  it('has every migration that takes something from earlier versions, or asks something new of them', async () => {
    /** Migrations that take nothing away that matters, by the reason. */
    const harmless: Record<string, string> = {
      '0010-image-files': 'the unique column is new, and earlier versions write null',
      '0027-list-index': 'a wider index takes the place of another',
      '0033-start-of-links': 'wider indexes take the places of others',
    }
    const made = new Made()
    for (const [name, load] of Object.entries(migrations)) {
      const faults = made.faultsOf((await load()).steps)
      if (!CONTRACTING.has(name) && !(name in harmless))
        assert.deepEqual(faults, [], `${name} contracts: name it in CONTRACTING, and in the changelog`)
    }
  })

  it('is judged by statements that earlier versions cannot live with', () => {
    const before = [
      `create table if not exists "venues" ("id" {whole} primary key)`,
      'create index venues_name on venues (name)',
      { sqlite: ['create trigger venue_moved after update on venues begin select 1; end'], postgres: [] },
    ]
    const contracting: Step[] = [
      'drop table venues',
      `drop table if exists "venues"`,
      'drop index if exists venues_name',
      { sqlite: [], postgres: ['drop trigger venue_moved on venues'] },
      'alter table venues drop column name',
      'alter table venues rename to places',
      'alter table venues rename column name to title',
      `alter table "venues" add column if not exists "place" {text} not null`,
      { sqlite: [], postgres: ['alter table venues alter column name set not null'] },
      { sqlite: [], postgres: ['alter table venues alter column name type bigint using 1'] },
      { sqlite: [], postgres: ['alter table venues add constraint named check (name is not null)'] },
      'create unique index venues_slug on venues (slug)',
      { table: 'venues', key: 'id', statement: 'alter table venues drop column name' },
    ]
    const expanding: Step[] = [
      'create table places (id {whole} primary key, name {text} not null)',
      `alter table "venues" add column if not exists "place" {text} default '' not null`,
      'alter table venues add column place {text}',
      'create index venues_place on venues (place)',
      'drop index if exists venues_place',
      { table: 'venues', key: 'id', statement: `update venues set name = '' where id > {after} and id <= {last}` },
    ]
    const faultsOf = (step: Step) => {
      const made = new Made()
      made.faultsOf(before)
      return made.faultsOf([step])
    }
    for (const step of contracting) assert.notEqual(faultsOf(step).length, 0, JSON.stringify(step))
    for (const step of expanding) assert.deepEqual(faultsOf(step), [], JSON.stringify(step))
  })

  it('is told to earlier versions in the database', async () => {
    const store = await freshStore(':memory:')
    const db = openDatabase(store.where, { contents: store.contents })
    await db.migrate()
    const query = sql<{ name: string; timestamp: string }>`select name, timestamp from kysely_migration order by name`
    const { rows } = await db.read((tx) => query.execute(tx))
    await db.close()
    await store.drop()
    const told = rows.filter(({ timestamp }) => !/^[\d-]+T[\d:.]+Z expands$/.test(timestamp)).map(({ name }) => name)
    assert.deepEqual([rows.length, told], [Object.keys(migrations).length, [...CONTRACTING]])
  })
})
