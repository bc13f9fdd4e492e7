import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres.ts'
import { seed, ZONE } from './seed.ts'

/** Measures the service against the ceiling, in one run, and prints a table of ratios. */
const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    postgres: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
if (flags.help) {
  process.stdout.write('Usage: npm run bench -- [--events 100000] [--seconds 4] [--connections 32] [--postgres]\n')
  process.exit()
}

const say = (line = '') => process.stdout.write(`${line}\n`)
const children: ChildProcess[] = []

/** Starts a program and waits for the address that it prints. */
function start(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)))
    child.stdout?.on('data', (data) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(data))?.[0]
      if (url !== undefined) resolve(url)
    })
  })
}

interface Work {
  readonly name: string
  readonly requests: readonly autocannon.Request[]
}

function works(token: string, events: number): Work[] {
  const api = '/calendar/events/v1'
  const get = (path: string): autocannon.Request => ({ method: 'GET', path: api + path })
  const day = new Date(Date.now() + 86_400_000 * 30).toISOString().slice(0, 10)
  const last = new Date(Date.now() + 86_400_000 * 60).toISOString().slice(0, 10)
  const lastPage = Math.max(1, Math.min(500, Math.floor(events / 2 / 10) - 1))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    title: 'A new event',
    start_date: '2031-06-10 19:00',
    end_date: '2031-06-10 22:00',
    venue: 1,
    organizer: [51],
    categories: [1],
    tags: [21],
  })
  return [
    { name: 'the default list', requests: [get('/events')] },
    {
      name: 'a filtered list (category, month)',
      requests: [get(`/events?categories=category-3&start_date=${day}&end_date=${last}`)],
    },
    { name: 'a search, common word', requests: [get('/events?search=music')] },
    { name: 'a search, rare word', requests: [get('/events?search=harbour%20harbour')] },
    { name: `page ${lastPage}`, requests: [get(`/events?page=${lastPage}`)] },
    {
      name: 'a single event',
      requests: Array.from({ length: 500 }, (_, n) => get(`/events/${101 + Math.floor((n * 7919) % events)}`)),
    },
    { name: 'a create', requests: [{ method: 'POST', path: `${api}/events`, headers, body }] },
  ]
}

async function rate(
  url: string,
  requests: readonly autocannon.Request[],
  seconds: number,
): Promise<{ rate: number; p99: number; failed: number }> {
  const result = await autocannon({
    url,
    connections: Number(flags.connections),
    duration: seconds,
    requests: [...requests],
  })
  return { rate: result.requests.average, p99: result.latency.p99, failed: result.non2xx + result.errors }
}

let stopServer = async (): Promise<void> => {}
const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-'))
try {
  const events = Number(flags.events)
  const server = flags.postgres ? await startPostgres([]) : null
  stopServer = async () => server?.stop()
  if (server !== null) process.env.KALENDS_DATABASE_URL = server.url
  const { token, seconds } = await seed(server?.url ?? folder, events)
  say(`Seeded ${events} events in ${seconds.toFixed(1)} s.`)
  const bin = join(import.meta.dirname, '../bin/kalends.js')
  process.env.KALENDS_LOG_LEVEL = 'info'
  const began = performance.now()
  const service = await start([
    bin,
    'serve',
    '--port',
    '0',
    '--host',
    '127.0.0.1',
    '--data',
    folder,
    '--timezone',
    ZONE,
  ])
  say(`Ready ${Math.round(performance.now() - began)} ms after the start.\n`)
  const ceiling = await start([join(import.meta.dirname, 'ceiling.ts')])
  say('| work | answers a second | the ceiling | ratio | p99 |')
  say('|---|---:|---:|---:|---:|')
  for (const { name, requests } of works(token, events)) {
    const [{ method = 'GET', path = '/', headers, body } = {}] = requests
    const sample = await fetch(service + path, {
      method,
      ...(headers && { headers: headers as Record<string, string> }),
      ...(body && { body: String(body) }),
    })
    await fetch(`${ceiling}/body`, { method: 'PUT', body: await sample.text() })
    const [ours, most] = [
      await rate(service, requests, Number(flags.seconds)),
      await rate(ceiling, requests, Number(flags.seconds)),
    ]
    const note = ours.failed > 0 ? ` (${ours.failed} failed)` : ''
    say(
      `| ${name}${note} | ${Math.round(ours.rate)} | ${Math.round(most.rate)} | ${(ours.rate / most.rate).toFixed(3)} | ${Math.round(ours.p99)} ms |`,
    )
  }
} finally {
  for (const child of children) {
    child.removeAllListeners('exit')
    child.kill()
  }
  await stopServer()
  rmSync(folder, { recursive: true })
}
