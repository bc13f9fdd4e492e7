import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { finished, startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { NO_SQLITE } from '../support/sqlite.ts'
import { serveProcesses } from '../support/workers.ts'

/** The commands that docs/operations.md gives: to back up, and to restore. */
function documented(): string[] {
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
  const chapter = /^## Backups$(.*?)^## /ms.exec(text)?.[1] ?? ''
  const kalends = `${process.execPath} ${join(ROOT, 'bin/kalends.js')}`
  return [...chapter.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) =>
    commands.replaceAll('npx kalends', kalends),
  )
}

describe('the documented commands', { skip: NO_SQLITE }, () => {
  it('back up a service that is written to all the time, and restore it after a crash', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-backup-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const run = async (commands: string) => {
      const { code, err } = await finished(startProcess('sh', ['-ec', commands], { cwd: folder }))
      assert.deepEqual([code, err], [0, ''])
    }
    const [backUp = '', restore = ''] = documented()
    const data = join(folder, 'data')
    const served = await serveProcesses(['--data', data])
    const connection = served.connect()
    let isRunning = true
    let written = 0
    const writing = (async () => {
      for (; isRunning; written++) {
        const json = { title: `Event ${written}`, start_date: '2031-06-10', end_date: '2031-06-11' }
        assert.equal((await connection.send('POST', '/events', json)).status, 201)
      }
    })()
    const before = written
    await run(backUp)
    isRunning = false
    await writing
    served.child.kill('SIGKILL')
    await served.closed
    await run(restore)
    const again = await serveProcesses(['--data', data], {}, { isNew: false })
    again.child.kill('SIGTERM')
    assert.equal(await again.closed, 0)
    const database = new DatabaseSync(join(data, 'kalends.sqlite'))
    const [check] = database.prepare('pragma integrity_check').all()
    const [count] = database.prepare('select count(*) as events from events').all()
    database.close()
    assert.equal(check?.integrity_check, 'ok')
    const events = Number(count?.events)
    assert.ok(events >= before && events <= written, `${events} of ${before} to ${written}`)
  })
})
