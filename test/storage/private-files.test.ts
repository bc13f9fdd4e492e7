import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openDatabase } from '../../src/storage/database.ts'
import { folderStore } from '../../src/storage/files.ts'
import { makeImagesPrivate } from '../../src/storage/sqlite/private-files.ts'
import { ROOT } from '../support/sources.ts'
import { serveProcesses } from '../support/workers.ts'

const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8)

/** The modes of a folder and of all that is in it, without those that are as they should be. */
function open(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true, recursive: true })
  const entries = inside.map((entry) => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }))
  return [{ path: folder, isFolder: true }, ...entries]
    .filter(({ path, isFolder }) => mode(path) !== (isFolder ? '700' : '600'))
    .map(({ path }) => `${mode(path)} ${path}`)
}

describe('the data folder', { skip: process.platform === 'win32' && 'has no such modes' }, () => {
  let top: string
  let umask: number
  before(() => {
    umask = process.umask(0o022)
    top = mkdtempSync(join(tmpdir(), 'kalends-private-'))
  })
  after(() => {
    process.umask(umask)
    rmSync(top, { recursive: true })
  })

  it('is its owner’s alone from the start, with the database and its log', async () => {
    const folder = join(top, 'new', 'data')
    const db = openDatabase(folder)
    await db.migrate()
    await db.write(async () => {})
    await db.version()
    await folderStore(folder).put('images/ab/abc.jpg', Buffer.from('x'), 'image/jpeg')
    assert.deepEqual(readdirSync(folder).sort(), [
      'images',
      'kalends.sqlite',
      'kalends.sqlite-shm',
      'kalends.sqlite-wal',
    ])
    assert.deepEqual(open(folder), [])
    await db.close()
  })

  it('becomes so if it was there before', async () => {
    const folder = join(top, 'old')
    const first = openDatabase(folder)
    await first.migrate()
    mkdirSync(join(folder, 'images/ab'), { recursive: true })
    writeFileSync(join(folder, 'images/ab/abc.jpg'), 'x')
    const elsewhere = join(top, 'elsewhere')
    writeFileSync(elsewhere, 'x', { mode: 0o644 })
    symlinkSync(elsewhere, join(folder, 'images/link'))
    const names = ['', 'images', 'images/ab', 'images/ab/abc.jpg', 'kalends.sqlite', 'kalends.sqlite-wal']
    for (const name of names) chmodSync(join(folder, name), name.includes('.') ? 0o644 : 0o755)
    const second = openDatabase(folder)
    await second.read(async () => {})
    for (const name of ['', 'kalends.sqlite', 'kalends.sqlite-wal', 'kalends.sqlite-shm'])
      assert.equal(mode(join(folder, name)), name === '' ? '700' : '600', name)
    await makeImagesPrivate(folder)
    // What a link leads to is not ours.
    assert.deepEqual(open(folder), [`644 ${join(folder, 'images/link')}`])
    await second.close()
    await first.close()
  })

  it('is not taken from others where it is a folder that all share', async () => {
    const shared = join(top, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    const db = openDatabase(shared)
    await db.migrate()
    assert.equal(mode(shared), '1777')
    assert.equal(mode(join(shared, 'kalends.sqlite')), '600')
    await db.close()
  })

  it('is so for every command, and for a service that is started on an old one', async (t) => {
    const folder = join(top, 'served')
    const run = promisify(execFile)
    await run(process.execPath, [join(ROOT, 'bin/kalends.js'), 'migrate', '--data', folder])
    assert.deepEqual(open(folder), [])
    mkdirSync(join(folder, 'images/cd'), { recursive: true })
    writeFileSync(join(folder, 'images/cd/cde.png'), 'x')
    chmodSync(folder, 0o755)
    chmodSync(join(folder, 'kalends.sqlite'), 0o644)
    const served = await serveProcesses(['--data', folder])
    t.after(() => {
      served.child.kill('SIGTERM')
      return served.closed
    })
    assert.deepEqual(open(folder), [])
  })
})
