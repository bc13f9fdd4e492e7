import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runKalends, serveRefused } from '../support/processes.ts'
import { emptyStore, freshStore, ON_POSTGRES } from '../support/store.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

describe('backups by schedule', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-schedule-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const workers of ['1', '2']) {
    it(`are made by one of ${workers} processes, and the oldest are removed`, async (t) => {
      const [data, to] = [join(folder, `data-${workers}`), join(folder, `backups-${workers}`)]
      const store = await freshStore(data)
      t.after(() => store.drop())
      mkdirSync(to)
      writeFileSync(join(to, 'kalends-2020-01-01T000000Z.tar'), 'old')
      writeFileSync(join(to, 'other.tar'), 'not ours')
      const flags = ['--data', data, '--workers', workers, '--backup-every', '1s', '--backup-to', to, '--keep', '2']
      const served = await serveProcesses(flags, ON_POSTGRES ? { KALENDS_DATABASE_URL: store.where } : {})
      const made = () => served.log().filter(({ msg }) => msg === 'backed up').length
      await eventually(() => made() >= 4)
      served.child.kill('SIGTERM')
      assert.equal(await served.closed, 0)
      const names = readdirSync(to).sort()
      assert.equal(names.length, 3, names.join())
      assert.equal(names.at(-1), 'other.tar')
      assert.ok(!names.includes('kalends-2020-01-01T000000Z.tar'))
      const restored = join(folder, `restored-${workers}`)
      const target = await emptyStore(restored)
      t.after(() => target.drop())
      const env = { KALENDS_DATA: restored, KALENDS_DATABASE_URL: ON_POSTGRES ? target.where : '' }
      const { code, err } = await runKalends(['restore', join(to, names[1] ?? '')], env)
      assert.deepEqual([code, err], [0, ''])
      assert.match((await runKalends(['user', 'list'], env)).out, /admin/)
    })
  }

  it('that fail are logged, and leave no half file; the old ones stay', async () => {
    const [data, to] = [join(folder, 'data-failing'), join(folder, 'backups-failing')]
    const old = 'kalends-2020-01-01T000000Z.tar'
    mkdirSync(to)
    writeFileSync(join(to, old), 'old')
    // Root may write anywhere, so the place of the files is taken by a folder that cannot be a file.
    rmSync(to, { recursive: true })
    writeFileSync(to, 'a file, and no folder')
    const served = await serveProcesses(['--data', data, '--backup-every', '1s', '--backup-to', to, '--keep', '1'])
    await eventually(() => served.log().some(({ msg }) => msg === 'backup failed'))
    assert.ok(existsSync(to))
    rmSync(to)
    mkdirSync(to)
    chmodSync(to, 0o700)
    writeFileSync(join(to, old), 'old')
    await eventually(() => served.log().some(({ msg }) => msg === 'backed up'))
    await eventually(() => !readdirSync(to).includes(old))
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    assert.deepEqual(
      readdirSync(to).filter((name) => /part/.test(name)),
      [],
    )
  })

  it('need a time and a folder', async () => {
    for (const flags of [
      ['--backup-every', '1h'],
      ['--backup-to', folder],
    ])
      assert.match((await serveRefused(['--data', join(folder, 'x'), ...flags])).err, /need each other/)
    for (const every of ['1', '1w', '0h', 'h'])
      assert.match(
        (await serveRefused(['--data', join(folder, 'x'), '--backup-every', every, '--backup-to', folder])).err,
        /--backup-every must be a number with s, m, h or d/,
      )
  })
})
