import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../support/commands.ts'

const CALENDAR = `BEGIN:VCALENDAR
BEGIN:VEVENT
UID:one@example.org
DTSTART:20310610T190000Z
SUMMARY:Harbour concert \u202e
END:VEVENT
END:VCALENDAR
`

describe('the audit log on the command line', () => {
  let folder: string
  const run = async (...args: string[]): Promise<{ code: number | null; out: string }> => {
    const { code, out, err } = await runCommand([...args, '--data', folder])
    return { code, out: out + err }
  }
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-audit-'))
    await run(
      'user',
      'add',
      'zoe',
      '--role',
      'administrator',
      '--email',
      'zoe@example.org',
      '--password',
      'a first secret',
    )
    await run('token', 'create', 'zoe', '--name', 'deploy')
    await run('user', 'passwd', 'zoe', '--password', 'a second secret')
    writeFileSync(join(folder, 'a.ics'), CALENDAR.replaceAll('\n', '\r\n'))
    await run('import', join(folder, 'a.ics'), '--user', 'zoe')
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is a table, the newest first', async () => {
    const { code, out } = await run('audit')
    assert.equal(code, 0)
    const [head = '', ...rows] = out.trim().split('\n')
    assert.match(head, /^TIME \(UTC\) +USER +WAY +FROM +ACTION +RECORD +FIELDS$/)
    assert.match(rows[0] ?? '', /zoe +import +- +created +event:\d+ Harbour concert/)
    assert.match(rows[1] ?? '', /- +command +- +changed +user:1 zoe +password$/)
    assert.match(rows[2] ?? '', /command +- +created +token:1 deploy/)
    assert.match(rows[3] ?? '', /command +- +created +user:1 zoe/)
    assert.ok(!out.includes('\u202e'))
    assert.doesNotMatch(out, /secret/)
  })

  it('is found by record, user, way and time, and is JSON', async () => {
    const json = async (...args: string[]) =>
      (await run('audit', '--json', ...args)).out
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    const [token, ...none] = await json('--record', 'token:1')
    assert.deepEqual([token.record, token.after.name, none], [{ type: 'token', id: 1, title: 'deploy' }, 'deploy', []])
    assert.deepEqual(
      (await json('--user', 'zoe')).map(({ way }) => way),
      ['import'],
    )
    assert.equal((await json('--way', 'command')).length, 3)
    assert.equal((await json('--limit', '2')).length, 2)
    assert.equal((await json('--action', 'changed'))[0].after.password, '(secret)')
    assert.deepEqual(await json('--since', 'tomorrow'), [])
    assert.equal((await json('--since', 'yesterday')).length, 4)
  })

  it('says what is wrong with an option', async () => {
    for (const [args, words] of [
      [['--record', 'thing'], /--record .*event/],
      [['--way', 'x'], /--way /],
      [['--since', 'never'], /--since /],
      [['--limit', '0'], /--limit must be/],
    ] as const) {
      const { code, out } = await run('audit', ...args)
      assert.equal(code, 1, out)
      assert.match(out, words)
    }
    assert.match((await runCommand(['audit', '--data', join(folder, 'none')])).err, /there is no database/)
    assert.match((await runCommand(['audit', '--help'])).out, /--record <record>/)
  })
})
