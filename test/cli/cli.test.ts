import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ROOT } from '../support/sources.ts'

const BIN = join(ROOT, 'bin/kalends.js')

interface Result {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(args: string[], env: Record<string, string> = {}): Promise<Result> {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env, ...env } })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (data) => out.push(data))
  child.stderr.on('data', (data) => err.push(data))
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString()
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out: text(out), err: text(err) })))
}

/** Starts the service and waits until it listens; answers what it printed so far and its address. */
function serve(args: string[]): Promise<{ child: ChildProcess; url: string; out: () => string }> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--host', '127.0.0.1', ...args])
  let out = ''
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${out}`)))
    child.stderr.on('data', (data) => {
      out += data
    })
    child.stdout.on('data', (data) => {
      out += data
      const url = /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1]
      // The first line of a new calendar's credentials comes after that of the address.
      if (url !== undefined) setTimeout(() => resolve({ child, url, out: () => out }), 300)
    })
  })
}

const stop = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<number | null>((resolve) => {
    child.removeAllListeners('exit')
    child.on('exit', resolve)
    child.kill(signal)
  })

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
    for (const { code, out } of await Promise.all(commands.map((args) => run([...args, '--help'])))) {
      assert.equal(code, 0)
      assert.match(out, /Usage: kalends/)
    }
    assert.match((await run(['serve', '--help'])).out, /KALENDS_BASE_URL/)
  })

  it('says in one sentence what cannot be used', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await new Promise((resolve) => taken.on('listening', resolve))
    const { port } = taken.address() as { port: number }
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['serve', '--port', '70000'], {}, /^kalends: --port must be a port number/],
      [['serve', '--timezone', 'Mars/Olympus'], {}, /^kalends: --timezone must be/],
      [['serve', '--base-url', 'ftp://x'], {}, /^kalends: --base-url must be/],
      [['serve'], { KALENDS_RATE_LIMIT: 'many' }, /^kalends: KALENDS_RATE_LIMIT must be/],
      [
        ['serve', '--host', '127.0.0.1', '--port', String(port), '--data', join(folder, 'busy')],
        {},
        /port \d+ is in use/,
      ],
      [
        ['serve', '--workers', '2', '--host', '127.0.0.1', '--port', String(port), '--data', join(folder, 'busy')],
        {},
        /^kalends: port \d+ is in use/,
      ],
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

  it('says so on a Node that is too old', async () => {
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.0'}})"
    const { code, err } = await run([], { NODE_OPTIONS: `--import ${old}` })
    assert.equal(code, 1)
    assert.match(err, /^kalends: needs Node 26 or later/)
  })

  it('manages users and tokens', async () => {
    const data = ['--data', join(folder, 'users')]
    const added = await run(['user', 'add', 'Zoë', '--role', 'author', '--email', 'zoe@example.org', ...data])
    assert.match(added.out, /Added author Zoë, user 1\.\n\n {2}password {2}\S{20}/)
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
    assert.match((await run(['user', 'remove', 'Zoë', ...data])).out, /Removed/)
    assert.match((await run(['migrate', ...data])).out, /up to date/)
    assert.match((await run(['migrate', '--data', join(folder, 'new')])).out, /Ran 0001/)
  })

  it('serves, shows the first administrator once, and stops when asked', async () => {
    const data = join(folder, 'served')
    const first = await serve(['--data', data])
    const password = /password {2}(\S+)/.exec(first.out())?.[1] ?? ''
    const request = (url: string, path: string, init: RequestInit = {}) =>
      fetch(`${url}/calendar/events/v1${path}`, {
        ...init,
        headers: {
          authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
      })
    assert.equal((await request(first.url, '/venues', { method: 'POST', body: '{"venue":"Kept"}' })).status, 201)
    assert.match((await run(['user', 'remove', 'admin', '--data', data])).err, /author of 1 records/)
    assert.equal(await stop(first.child, 'SIGTERM'), 0)
    const second = await serve(['--data', data])
    assert.doesNotMatch(second.out(), /password/)
    const { total } = (await (await request(second.url, '/venues')).json()) as { total: number }
    assert.equal(total, 1)
    assert.equal(await stop(second.child, 'SIGINT'), 0)
  })

  it('shows the first administrator even if it is asked to stop at once', async () => {
    const args = ['--port', '0', '--host', '127.0.0.1', '--data', join(folder, 'stopped-at-once')]
    const child = spawn(process.execPath, [BIN, 'serve', ...args])
    let [out, err] = ['', '']
    child.stdout.on('data', (data) => {
      out += data
      if (/listening at/.test(String(data))) child.kill('SIGTERM')
    })
    child.stderr.on('data', (data) => {
      err += data
    })
    const [code] = await once(child, 'close')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /password {2}\S+/)
  })

  it('loses no acknowledged write when it is killed', async () => {
    const data = join(folder, 'killed')
    const { child, url, out } = await serve(['--data', data])
    const password = /password {2}(\S+)/.exec(out())?.[1] ?? ''
    const headers = {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    const acknowledged: string[] = []
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 1000; n++) {
        const response = await fetch(`${url}/calendar/events/v1/tags`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ name: `w${writer} ${n}` }),
        }).catch(() => null)
        if (response?.status !== 201) return
        // Counted from the first one, as the machine may be slow.
        if (acknowledged.length === 0) setTimeout(() => child.kill('SIGKILL'), 400)
        acknowledged.push(((await response.json().catch(() => ({ slug: '' }))) as { slug: string }).slug)
      }
    })
    child.removeAllListeners('exit')
    await Promise.all(writers)
    assert.ok(acknowledged.length > 0)
    const again = await serve(['--data', data])
    for (const slug of acknowledged.filter(Boolean)) {
      const found = (await (await fetch(`${again.url}/calendar/events/v1/tags?hide_empty=0&slug=${slug}`)).json()) as {
        total: number
      }
      assert.equal(found.total, 1, slug)
    }
    await stop(again.child, 'SIGTERM')
  })
})
