import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCommand as run } from '../support/commands.ts'
import { finished, runKalends, startKalends } from '../support/processes.ts'
import { some } from '../support/thorough.ts'
import { serveProcesses } from '../support/workers.ts'

/** How many acknowledged writes there are before the service is killed. */
const BEFORE_KILL = 60

describe('the command line', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-cli-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('helps with every command', async () => {
    const commands = [
      [],
      ['serve'],
      ['user'],
      ['user', 'add'],
      ['user', 'list'],
      ['user', 'remove'],
      ['user', 'passwd'],
      ['token'],
      ['token', 'create'],
      ['token', 'list'],
      ['token', 'revoke'],
      ['migrate'],
    ]
    for (const args of commands) {
      const { code, out } = await run([...args, '--help'])
      assert.equal(code, 0)
      assert.match(out, /Usage: kalends/)
    }
    assert.match((await run(['serve', '--help'])).out, /KALENDS_BASE_URL/)
  })

  it('says in one sentence what cannot be used', async () => {
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['serve', '--port', '70000'], {}, /^kalends: --port must be a port number/],
      [['serve', '--timezone', 'Mars/Olympus'], {}, /^kalends: --timezone must be/],
      [['serve', '--base-url', 'ftp://x'], {}, /^kalends: --base-url must be/],
      [['serve'], { KALENDS_RATE_LIMIT: 'many' }, /^kalends: KALENDS_RATE_LIMIT must be/],
      [
        ['serve'],
        { KALENDS_STOP_DELAY: '-1' },
        /^kalends: KALENDS_STOP_DELAY must be a number of seconds from 0 to 3600/,
      ],
      [
        ['serve'],
        { KALENDS_DATABASE_CONNECTIONS: '1' },
        /^kalends: KALENDS_DATABASE_CONNECTIONS must be a number from 2/,
      ],
      [
        ['serve'],
        { KALENDS_DATABASE_QUERY_TIMEOUT: '0' },
        /^kalends: KALENDS_DATABASE_QUERY_TIMEOUT must be a number of/,
      ],
      [
        ['serve'],
        { KALENDS_DATABASE_CONNECT_TIMEOUT: '3s' },
        /^kalends: KALENDS_DATABASE_CONNECT_TIMEOUT must be a nu/,
      ],
      [['serve'], { KALENDS_DATABASE_IDLE_TIMEOUT: '1e9' }, /^kalends: KALENDS_DATABASE_IDLE_TIMEOUT must be a number/],
      [['serve', '--workers', 'many'], {}, /^kalends: --workers must be a number from 1 to 256, or auto/],
      [['serve', '--data', ':memory:'], { KALENDS_WORKERS: '2' }, /^kalends: KALENDS_WORKERS needs a database/],
      [['serve', '--workers', '2', '--port', '0', '--data', '/dev/null/x'], {}, /^kalends: /],
      [['serve', '--data', '/dev/null/x'], {}, /^kalends: /],
      [
        ['user', 'add', 'x', '--role', 'king', '--email', 'x@example.org', '--data', folder],
        {},
        /"king" is not a role/,
      ],
      [['user', 'add', 'x', '--role', 'editor', '--email', 'nope', '--data', folder], {}, /not an e-mail address/],
      [
        ['user', 'add', 'x', '--role', 'editor', '--email', 'x@example.org', '--password', 'short', '--data', folder],
        {},
        /at least 8/,
      ],
      [['user', 'passwd', 'nobody', '--data', folder], {}, /there is no user "nobody"/],
      [['token', 'revoke', '99', '--data', folder], {}, /there is no token 99/],
    ]
    for (const [args, env, expected] of cases) {
      const { code, out, err } = await run(args, { KALENDS_LOG_LEVEL: 'warn', ...env })
      assert.equal(code, 1, err)
      assert.match(err, expected)
      assert.equal(err.trim().split('\n').length, 1, err)
      assert.doesNotMatch(out, /password/)
    }
  })

  it('says in one sentence that its port is in use, and ends with 1', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await new Promise((resolve) => taken.on('listening', resolve))
    const { port } = taken.address() as { port: number }
    for (const workers of some(['2', '1'], 1)) {
      const args = ['--workers', workers, '--host', '127.0.0.1', '--port', String(port), '--data', join(folder, 'busy')]
      const { code, out, err } = await runKalends(['serve', ...args], { KALENDS_LOG_LEVEL: 'warn' })
      assert.equal(code, 1, err)
      assert.match(err, /^kalends: port \d+ is in use[^\n]*\n$/)
      assert.doesNotMatch(out, /password/)
    }
  })

  it('goes on when nobody reads its output any more', async () => {
    const data = join(folder, 'unread')
    await run(['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', data])
    for (const args of some([['--help'], ['check', '--data', data], ['user', 'list', '--data', data]], 2)) {
      const child = startKalends(args)
      child.stdout.destroy()
      const { code, err } = await finished(child)
      assert.deepEqual([code, err], [0, ''], args.join(' '))
    }
  })

  it('says so on a Node that is too old', async () => {
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})"
    const { code, err } = await runKalends([], { NODE_OPTIONS: `--import ${old}` })
    assert.equal(code, 1)
    assert.match(err, /^kalends: needs Node 26 or later/)
  })

  it('manages users and tokens', async () => {
    const data = ['--data', join(folder, 'users')]
    const added = await run(['user', 'add', 'Zoë', '--role', 'author', '--email', 'zoe@example.org', ...data])
    assert.match(added.out, /Added author Zoë, user 1\.\n\n {2}password {2}\S{20}/)
    assert.match(added.out, /This calendar has no administrator/)
    assert.match(
      (await run(['user', 'add', 'zoË', '--role', 'author', '--email', 'z@example.org', ...data])).err,
      /there is a user/,
    )
    const token = (await run(['token', 'create', 'zoë', '--name', 'for a script', ...data])).out.trim()
    assert.match(token, /^kal_[\w-]{43}$/)
    const tokens = (await run(['token', 'list', ...data])).out
    assert.match(tokens, /Zoë +for a script/)
    assert.ok(!tokens.includes(token))
    assert.match((await run(['token', 'revoke', '1', ...data])).out, /Revoked/)
    assert.match((await run(['user', 'passwd', 'Zoë', '--password', 'another password', ...data])).out, /Changed/)
    assert.match((await run(['user', 'list', ...data])).out, /1 +Zoë +author +zoe@example.org/)
    assert.match((await run(['user', 'role', 'zoë', 'king', ...data])).err, /"king" is not a role/)
    assert.match((await run(['user', 'role', 'zoë', 'administrator', ...data])).out, /zoë is administrator now/)
    assert.match((await run(['user', 'role', 'zoë', 'editor', ...data])).err, /last administrator/)
    assert.match((await run(['user', 'remove', 'Zoë', ...data])).err, /last administrator/)
    const next = ['--role', 'administrator', '--email', 'ben@example.org', ...data]
    assert.doesNotMatch((await run(['user', 'add', 'Ben', ...next])).out, /no administrator/)
    assert.match((await run(['user', 'remove', 'Zoë', ...data])).out, /Removed/)
    assert.match((await run(['migrate', ...data])).out, /up to date/)
    assert.match((await run(['migrate', '--data', join(folder, 'new')])).out, /Ran 0001/)
  })

  it('serves, shows the first administrator once, and stops when asked', async () => {
    const data = join(folder, 'served')
    const first = await serveProcesses(['--data', data])
    const { authorization } = first
    const request = (url: string, path: string, init: RequestInit = {}) =>
      fetch(`${url}/calendar/events/v1${path}`, {
        ...init,
        headers: { authorization, 'content-type': 'application/json' },
      })
    assert.equal((await request(first.url, '/venues', { method: 'POST', body: '{"venue":"Kept"}' })).status, 201)
    assert.match((await run(['user', 'remove', 'admin', '--data', data])).err, /last administrator/)
    const another = ['--role', 'administrator', '--email', 'two@example.org', '--data', data]
    await run(['user', 'add', 'two', ...another])
    assert.match((await run(['user', 'remove', 'admin', '--data', data])).err, /author of 1 records/)
    first.child.kill('SIGTERM')
    assert.equal(await first.closed, 0)
    const second = await serveProcesses(['--data', data], {}, { isNew: false })
    const { total } = (await (await request(second.url, '/venues')).json()) as { total: number }
    assert.equal(total, 1)
    second.child.kill('SIGINT')
    assert.equal(await second.closed, 0)
    assert.doesNotMatch(second.out(), /password/)
  })

  it('tells at every start that there is no administrator', async () => {
    const data = join(folder, 'headless')
    await run(['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', data])
    const { child, closed, out } = await serveProcesses(['--data', data], {}, { isNew: false })
    child.kill('SIGTERM')
    assert.equal(await closed, 0)
    assert.match(out(), /no administrator/)
  })

  it('shows the first administrator even if it is asked to stop at once', async () => {
    const args = ['--port', '0', '--host', '127.0.0.1', '--data', join(folder, 'stopped-at-once')]
    const child = startKalends(['serve', ...args])
    let [seen, isAsked] = ['', false]
    child.stdout.on('data', (data) => {
      seen += data
      if (!isAsked && /listening at/.test(seen)) isAsked = child.kill('SIGTERM')
    })
    const { code, out, err } = await finished(child)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /password {2}\S+/)
  })

  it('loses no acknowledged write when it is killed', async () => {
    const data = join(folder, 'killed')
    const { child, url, authorization, closed } = await serveProcesses(['--data', data])
    const headers = { authorization, 'content-type': 'application/json' }
    const acknowledged: string[] = []
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 1000; n++) {
        const response = await fetch(`${url}/calendar/events/v1/tags`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ name: `w${writer} ${n}` }),
        }).catch(() => null)
        if (response?.status !== 201) return
        if (acknowledged.length === BEFORE_KILL) child.kill('SIGKILL')
        acknowledged.push(((await response.json().catch(() => ({ slug: '' }))) as { slug: string }).slug)
      }
    })
    await Promise.all(writers)
    assert.equal(await closed, null)
    assert.ok(acknowledged.length > BEFORE_KILL)
    const again = await serveProcesses(['--data', data], {}, { isNew: false })
    for (const slug of acknowledged.filter(Boolean)) {
      const found = (await (await fetch(`${again.url}/calendar/events/v1/tags?hide_empty=0&slug=${slug}`)).json()) as {
        total: number
      }
      assert.equal(found.total, 1, slug)
    }
    again.child.kill('SIGTERM')
    assert.equal(await again.closed, 0)
  })
})
