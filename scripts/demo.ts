import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { createScope } from '../src/app.ts'
import { say } from '../src/cli/options.ts'
import { serveCommand } from '../src/cli/serve.ts'
import { readConfig } from '../src/config.ts'
import type { Role } from '../src/domain/access.ts'
import * as users from '../src/domain/users.ts'
import { systemClock } from '../src/lib/clock.ts'
import { openStore } from '../src/store.ts'
import { CITY } from './demo/content.ts'
import { fill } from './demo/fill.ts'

/** The demonstration: creates the calendar of a fictional city and serves it. */

process.env.TZ = 'UTC'

/** Marks a folder that the demonstration made, and may therefore replace. */
const MARK = 'kalends-demo.txt'

const number = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  return value
}

interface Flags {
  readonly port: number
  readonly data?: string
  readonly events: number
  readonly serve: boolean
}

class DemoError extends Error {}

/** An empty folder. An earlier demonstration is removed, anything else is refused. */
function prepareFolder(given: string | undefined): string {
  if (given === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-demo-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    return folder
  }
  const folder = resolve(given)
  mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder)
  if (found.length > 0 && !existsSync(join(folder, MARK)))
    throw new DemoError(`${folder} holds files that the demonstration did not make: choose an empty folder`)
  for (const name of found)
    if (/^kalends\.sqlite|^images$|^held$/.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  writeFileSync(join(folder, MARK), 'Made by "npm run demo", which replaces everything here when it runs again.\n')
  return folder
}

/** Refuses a port in use before the work begins. */
async function checkPort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((done, failed) => {
    server.once('error', () => failed(new DemoError(`port ${port} cannot be used: choose another with --port`)))
    server.listen(port, 'localhost', () => server.close(() => done()))
  })
}

/** On a terminal one line that changes, elsewhere one line per kind of record. */
function showProgress(what: string, done: number, total: number): void {
  if (process.stdout.isTTY) process.stdout.write(`\r  ${what} ${done} of ${total}${done === total ? '\n' : ''}`)
  else if (done === total) say(`  ${what} ${total}`)
}

async function makeCity(data: string, port: number, count: number): Promise<{ name: string; password: string } | null> {
  const { timezone, currency } = CITY
  const config = readConfig({ timezone, currency, data, baseUrl: `http://localhost:${port}` }, {})
  const db = openStore(config)
  try {
    await db.migrate()
    const first = await users.createFirst({ db, clock: systemClock })
    const [admin] = await users.list({ db, clock: systemClock })
    if (admin === undefined) throw new Error('there is no administrator')
    const user = { id: admin.id, name: admin.name, role: admin.role as Role }
    await fill({ ...createScope(config, db), user }, count, showProgress)
    return first
  } finally {
    await db.close()
  }
}

async function run({ port, data, events, serve }: Flags): Promise<void> {
  if (serve) await checkPort(port)
  const folder = prepareFolder(data)
  say(`\nA year in ${CITY.name}, a city that does not exist:\n`)
  const began = Date.now()
  const first = await makeCity(folder, port, events)
  say(`\nMade in ${Math.round((Date.now() - began) / 1000)} seconds, in ${folder}.`)
  if (serve) {
    // Settings of the machine must not lead to another database.
    for (const name of Object.keys(process.env))
      if (/^KALENDS_(DATABASE|REPLICA|S3|BASE)_/.test(name)) delete process.env[name]
    process.env.KALENDS_CURRENCY = CITY.currency
    process.env.KALENDS_SITE_NAME ??= CITY.name
    process.env.KALENDS_LOG_LEVEL ??= 'warn'
    const flags = ['--port', String(port), '--host', 'localhost', '--data', folder, '--timezone', CITY.timezone]
    await serveCommand().parseAsync(flags, { from: 'user' })
    say(`It is open at http://localhost:${port}/ until you press Ctrl+C.`)
  }
  if (first !== null) {
    say('\nIts administrator, shown only this once:\n')
    say(`  user      ${first.name}\n  password  ${first.password}\n`)
  }
}

const program = new Command('npm run demo --')
  .description('Fills a fresh database with a believable city’s year, and serves it.')
  .option('--port <port>', 'port to listen on', number(1, 65535), 8080)
  .option('--data <folder>', 'folder to keep it in, empty or made by this command before (default: a temporary one)')
  .option('--events <number>', 'how many events to make', number(1, 100_000), 2000)
  .option('--no-serve', 'make it and end')
  .action(run)

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof DemoError)) throw error
  console.error(`demo: ${error.message}`)
  process.exitCode = 1
}
