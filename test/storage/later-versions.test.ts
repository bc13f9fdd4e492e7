import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { CompiledQuery } from 'kysely'
import { CONTRACTING, migrations } from '../../src/storage/migrations/index.ts'
import { runCommand } from '../support/commands.ts'
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

  it('has every migration that drops or renames what earlier versions use', async () => {
    const all = await Promise.all(Object.entries(migrations).map(async ([name, load]) => ({ name, ...(await load()) })))
    const dropping = all
      .filter(({ steps }) => /\b(drop (column|table|constraint)|rename )/i.test(JSON.stringify(steps)))
      .map(({ name }) => name)
    assert.deepEqual(
      dropping.filter((name) => !CONTRACTING.has(name)),
      [],
    )
  })
})
