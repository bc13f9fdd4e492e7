import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { finished, startProcess } from '../support/processes.ts'
import type { Json } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { emptyStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

/** Names of the release before this one: its tag, and its commit for clones without tags. */
const NAMES = ['previous-release', '923dcb7af61673f122bda39b73ea7c0c6ec22d73']
const REPOSITORY = process.env.KALENDS_TEST_REPOSITORY ?? ROOT
const isKnown = (name: string) =>
  spawnSync('git', ['-C', REPOSITORY, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`]).status === 0
const PREVIOUS = NAMES.find(isKnown)
const skip = !ON_POSTGRES
  ? 'needs PostgreSQL'
  : PREVIOUS === undefined && `needs the previous release: neither ${NAMES.join(' nor ')} is in this clone`
const API = '/calendar/events/v1'

describe('a rolling upgrade', { skip }, () => {
  let previous: string
  let store: Store
  before(async () => {
    previous = mkdtempSync(join(tmpdir(), 'kalends-previous-'))
    const archive = execFileSync(
      'git',
      ['-C', REPOSITORY, 'archive', PREVIOUS ?? '', 'bin', 'src', 'i18n', 'web', 'package.json'],
      {
        maxBuffer: 2 ** 28,
      },
    )
    execFileSync('tar', ['x', '-C', previous], { input: archive })
    symlinkSync(join(ROOT, 'node_modules'), join(previous, 'node_modules'))
    store = await emptyStore('')
  })
  after(async () => {
    await store.drop()
    rmSync(previous, { recursive: true })
  })

  const start = (root: string, ...args: string[]) =>
    startProcess(process.execPath, [join(root, 'bin/kalends.js'), ...args], {
      env: { ...process.env, KALENDS_DATABASE_URL: store.where, KALENDS_DATA: previous, KALENDS_STOP_DELAY: '1' },
    })

  /** A node of a version, when it is ready. */
  async function startNode(root: string, port: number) {
    const child = start(root, 'serve', '--port', String(port), '--host', '127.0.0.1')
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data))
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
    const url = `http://127.0.0.1:${port}`
    await eventually(async () => {
      assert.equal(child.exitCode, null, out)
      return (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
    })
    const stop = () => {
      child.kill('SIGTERM')
      return closed
    }
    return { url, out: () => out, stop }
  }

  it('from the previous release loses no write and refuses none, while both versions use one database', async () => {
    assert.equal((await finished(start(previous, 'migrate'))).code, 0)
    const first = await startNode(previous, await freePort())
    const made = await finished(
      start(previous, 'user', 'add', 'ed', '--role', 'administrator', '--email', 'ed@example.org'),
    )
    const password = /password\s+(\S+)/.exec(made.out)?.[1] ?? ''
    const authorization = `Basic ${Buffer.from(`ed:${password}`).toString('base64')}`
    // As a load balancer does: nodes that are taken out get no more requests.
    let nodes = [first.url]
    const acknowledged: number[] = []
    const failures: string[] = []
    let isRunning = true
    const write = async (client: number) => {
      for (let n = 0; isRunning; n++) {
        const url = nodes[n % nodes.length] ?? ''
        const json = { title: `Event ${client} ${n}`, start_date: '2031-06-10', end_date: '2031-06-11', tags: ['all'] }
        const headers = { authorization, 'content-type': 'application/json' }
        const answer = await fetch(`${url}${API}/events`, {
          method: 'POST',
          headers,
          body: JSON.stringify(json),
        }).catch(String)
        if (typeof answer === 'string' || answer.status !== 201)
          failures.push(typeof answer === 'string' ? answer : `${url} ${answer.status} ${await answer.text()}`)
        else acknowledged.push(((await answer.json()) as Json).id)
        const read = await fetch(`${url}${API}/events?start_date=2031-01-01&per_page=5`).catch(String)
        if (typeof read === 'string' || read.status !== 200)
          failures.push(`read: ${typeof read === 'string' ? read : read.status}`)
      }
    }
    const writing = Promise.all([0, 1, 2].map(write))
    const grow = async () => {
      const before = acknowledged.length
      await eventually(() => acknowledged.length > before + 15 || failures.length > 0)
    }
    await grow()
    const migrated = await finished(start(ROOT, 'migrate'))
    assert.equal(migrated.code, 0, migrated.err)
    // The previous release goes on.
    await grow()
    const second = await startNode(ROOT, await freePort())
    nodes = [first.url, second.url]
    await grow()
    nodes = [second.url]
    await sleep(200)
    assert.equal(await first.stop(), 0, first.out())
    const third = await startNode(ROOT, await freePort())
    nodes = [second.url, third.url]
    await grow()
    isRunning = false
    await writing
    assert.deepEqual(failures.slice(0, 5), [])
    const list = await fetch(`${second.url}${API}/events?start_date=2031-01-01&per_page=1`)
    assert.equal(((await list.json()) as Json).total, acknowledged.length)
    const last = await fetch(`${third.url}${API}/events/${acknowledged.at(-1)}`)
    assert.equal(last.status, 200)
    const checked = await finished(start(ROOT, 'check'))
    assert.equal(checked.code, 0, checked.out)
    for (const node of [second, third]) assert.equal(await node.stop(), 0, node.out())
  })
})
