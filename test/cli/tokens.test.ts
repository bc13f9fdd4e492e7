import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../support/commands.ts'

describe('tokens on the command line', () => {
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-tokens-'))
    await run('user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--password', 'a first password')
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = async (...args: string[]): Promise<{ code: number | null; out: string }> => {
    const { code, out, err } = await runCommand([...args, '--data', folder])
    return { code, out: out + err }
  }

  it('expire after hours, days or weeks, and show when, and when they were used', async () => {
    for (const expires of ['12h', '90d', '8w', '3 days'])
      assert.match((await run('token', 'create', 'zoe', '--name', expires, '--expires', expires)).out, /^kal_/)
    await run('token', 'create', 'zoe', '--name', 'lasting')
    const { out } = await run('token', 'list', 'zoe')
    const [head = '', ...rows] = out.trim().split('\n')
    assert.match(head, /CREATED \(UTC\) +EXPIRES \(UTC\) +LAST USED \(UTC\)$/)
    const times = rows.map((row) => [...row.matchAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g)].map(([text]) => text))
    const lives = times.map(([created = '', expires]) =>
      expires === undefined ? null : (Date.parse(`${expires}Z`) - Date.parse(`${created}Z`)) / 3_600_000,
    )
    assert.deepEqual(lives, [12, 90 * 24, 8 * 7 * 24, 3 * 24, null])
    assert.match(rows.at(-1) ?? '', /lasting +\S+ \S+ +never +never$/)
  })

  it('are not made for a time that is none', async () => {
    for (const expires of ['soon', '0d', '-1d', '90', 'd', '1.5d', '5m', '9999999d', '999999w', '90dd', '']) {
      const { code, out } = await run('token', 'create', 'zoe', `--expires=${expires}`)
      assert.equal(code, 1, expires)
      assert.match(
        out,
        /^kalends: ".*" is not how long a token can live: use hours, days or weeks, such as 12h/,
        expires,
      )
    }
    assert.doesNotMatch((await run('token', 'list')).out, /\n6 /)
  })

  it('end with a new password if that is asked for, and are told of if not', async () => {
    const kept = await run('user', 'passwd', 'zoe', '--password', 'a second password')
    assert.match(kept.out, /Changed the password of zoe\. 5 of their tokens still work: --revoke-tokens/)
    const ended = await run('user', 'passwd', 'zoe', '--password', 'a third password', '--revoke-tokens')
    assert.match(ended.out, /Changed the password of zoe\. Revoked 5 tokens\./)
    assert.doesNotMatch((await run('token', 'list')).out, /zoe/)
  })
})
