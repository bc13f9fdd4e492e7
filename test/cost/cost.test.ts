import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { seed, seedFolder } from '../../bench/seed.ts'
import { NAMESPACE } from '../../src/http/endpoint.ts'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import { addHistory } from './histories.ts'
import { type Process, startProcess } from './process.ts'
import { addNames, addVenues } from './venues.ts'

/** How many events there are. `npm run test:cost` has 100,000. */
const EVENTS = Number(process.env.KALENDS_COST_EVENTS ?? 20_000)
/** How long a request may keep others waiting, in milliseconds, and one that known clients send all the time. */
const LONGEST = EVENTS > 100_000 ? 100 : 50
const LONGEST_NORMAL = 10
/** How often an attack is tried before it counts as too long: a hold is there every time, noise is not. */
const TRIES = 6
/** How long an attack may take in all, in milliseconds; what is still streamed then is cut off. */
const PATIENCE = { read: process.env.KALENDS_COST_THOROUGH === 'yes' ? 3000 : 500, write: 5000 }

describe(`with ${EVENTS} events, no request keeps others waiting`, () => {
  let folder: string
  let store: Store | undefined
  let service: Process | undefined
  let watcher: Worker | undefined
  let token: string
  let browser: { readonly cookie: string; readonly csrf: string }
  const held: { readonly name: string; readonly hold: number; readonly status: number }[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-cost-'))
    store = await freshStore(join(folder, 'data'))
    token = ON_POSTGRES
      ? await seed(store.where, EVENTS)
      : await seedFolder(join(folder, 'data'), EVENTS, EVENTS >= 100_000, () => {})
    await addVenues(store.where, EVENTS)
    await addNames(store.where)
    await addHistory(store.where)
    service = await startProcess(store.where, folder)
    const { url, pid } = service
    const paths = ['/healthz', `/${NAMESPACE}/events/300`]
    watcher = new Worker(new URL('watcher.ts', import.meta.url), { workerData: { url, pid, paths } })
    browser = await signIn(url)
    for (let n = 0; n < 30; n++) await send({ name: '', method: 'GET', path: `/${NAMESPACE}/events?per_page=${n + 1}` })
  })
  after(async () => {
    await watcher?.terminate()
    await service?.stop()
    await store?.drop()
    rmSync(folder, { recursive: true, force: true })
    held.sort((one, other) => other.hold - one.hold)
    for (const { name, hold, status } of held.slice(0, 15))
      process.stdout.write(`${hold.toFixed(1).padStart(8)} ms  ${status}  ${name}\n`)
  })

  const tell = (message: 'reset' | 'tell') =>
    new Promise<number>((resolve) => {
      watcher?.once('message', resolve)
      watcher?.postMessage(message)
    })

  /** Sends a request and reads the answer, as long as there is patience; answers its status. */
  const send = ({ method, path, headers = {}, body, staff }: Attack) =>
    new Promise<number>((resolve, reject) => {
      const authorization: Record<string, string> = staff
        ? { cookie: browser.cookie }
        : method === 'GET'
          ? {}
          : { authorization: `Bearer ${token}` }
      const sent = request(`${service?.url}${path}`, {
        method,
        agent: false,
        headers: { ...authorization, ...headers },
      })
      let status = 0
      const timer = setTimeout(() => sent.destroy(), method === 'GET' ? PATIENCE.read : PATIENCE.write)
      sent.on('response', (response) => {
        status = response.statusCode ?? 0
        response.resume()
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A refusal may come before all of the body was sent.
        if (status === 0 && !/ECONNRESET|EPIPE|hang up/.test(`${error.code} ${error.message}`)) reject(error)
      })
      sent.on('close', () => {
        clearTimeout(timer)
        resolve(status)
      })
      sent.end(staff && body !== undefined ? `csrf=${encodeURIComponent(browser.csrf)}&${body}` : body)
    })

  /** Signs the administrator in, through the form. */
  const signIn = async (url: string) => {
    const body = new URLSearchParams({ user: 'bench', password: 'bench password' })
    const signed = await fetch(`${url}/sign-in`, { method: 'POST', body, redirect: 'manual' })
    const cookie = signed.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = await (await fetch(`${url}/`, { headers: { cookie } })).text()
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    assert.notEqual(csrf, '', 'nobody is signed in')
    return { cookie, csrf }
  }

  /** Makes everything that is cached worthless. */
  const write = () =>
    send({
      name: '',
      method: 'PATCH',
      path: `/${NAMESPACE}/events/301`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Changed ${Math.random()}` }),
    })

  const holdOf = async (attack: Attack): Promise<number> => {
    await write()
    await tell('reset')
    const status = await send(attack)
    // Somebody asks once more when the answer is complete.
    await send({ name: '', method: 'GET', path: '/healthz' })
    const hold = await tell('tell')
    held.push({ name: attack.name, hold, status })
    assert.ok(status !== 500, `${attack.name} answered 500`)
    return hold
  }

  for (const [group, attacks] of Object.entries(ATTACKS)) {
    it(`by ${group}`, async () => {
      const found: string[] = []
      for (const attack of attacks()) {
        const most = attack.normal ? LONGEST_NORMAL : LONGEST
        let shortest = Number.POSITIVE_INFINITY
        for (let n = 0; n < TRIES && shortest > most; n++) shortest = Math.min(shortest, await holdOf(attack))
        if (shortest > most) found.push(`${shortest.toFixed(0)} ms: ${attack.name}`)
      }
      assert.deepEqual(found, [])
    })
  }
})
