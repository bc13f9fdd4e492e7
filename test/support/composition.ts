import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { imageEnvironment, readCompose, readDockerfile, valuesOf, withDefaults } from './deploy.ts'
import { freePort } from './free-port.ts'
import { startProcess } from './processes.ts'
import { end, startPair, undoAll, until } from './replica.ts'
import { ROOT } from './sources.ts'

const run = promisify(execFile)

/** A line of a node's log that tells of an answer. */
export interface Answered {
  readonly reqId: string
  readonly req: { readonly method: string; readonly url: string; readonly ip: string }
}

/** A node of compose.yaml, as a process of this machine. */
export interface NodeProcess {
  readonly name: string
  readonly port: number
  /** The process that runs now. */
  child(): ChildProcess
  /** What it has written on its standard output since it was first started. */
  out(): string
  answered(): Answered[]
  /** Starts it, and waits until the image's own health check calls it healthy. */
  start(): Promise<void>
}

/** The databases and nodes of compose.yaml, with its settings, on ports of this machine. */
export interface Composition {
  readonly nodes: readonly NodeProcess[]
  /** A connection to the primary, as the user of the nodes. */
  readonly primary: pg.Client
  /** Where the nodes find the replica. */
  readonly replicaUrl: string
  stop(): Promise<void>
}

/** Starts the databases, then node after node, each when those before it are healthy. */
export async function startComposition(): Promise<Composition> {
  const undo: (() => unknown)[] = []
  const stop = () => undoAll(undo)
  try {
    const { services } = readCompose()
    const pair = await startPair()
    undo.push(() => pair.stop())
    const primary = await openPrimary(pair.url)
    undo.push(() => primary.end().catch(() => {}))
    const hosts = { database: new URL(pair.url).host, replica: new URL(pair.standbyUrl).host }
    const data = mkdtempSync(join(tmpdir(), 'kalends-composition-'))
    undo.push(() => rmSync(data, { recursive: true, force: true }))
    const nodes: NodeProcess[] = []
    let replicaUrl = ''
    for (const [name, { build, depends_on = {}, environment = {} }] of Object.entries(services)) {
      if (build === undefined) continue
      const started = ['database', ...nodes.map((node) => node.name)]
      const missing = Object.keys(depends_on).filter((other) => !started.includes(other))
      if (missing.length > 0) throw new Error(`${name} waits for ${missing}, which do not run yet`)
      const variables = nodeEnvironment(environment, hosts, data)
      replicaUrl = variables.KALENDS_REPLICA_URLS ?? ''
      const node = await makeNode(name, variables, undo)
      await node.start()
      nodes.push(node)
    }
    return { nodes, primary, replicaUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Makes a server that was started for tests what compose.yaml asks of the image of PostgreSQL. */
async function openPrimary(url: string): Promise<pg.Client> {
  const { command = [], environment = {} } = readCompose().services.database ?? {}
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = withDefaults(environment)
  const client = new pg.Client({ connectionString: url })
  // What breaks is told by the query.
  client.on('error', () => {})
  await client.connect()
  const settings = command.filter((word) => word.includes('=')).map((word) => word.split('=', 2))
  // Its replica is not waited for, unlike the standby of tests: so it can be behind.
  for (const [name = '', value = ''] of [...settings, ['synchronous_standby_names', '']]) {
    await client.query(`alter system set ${name} = ${client.escapeLiteral(value)}`)
  }
  await client.query('select pg_reload_conf()')
  const user = client.escapeIdentifier(POSTGRES_USER ?? '')
  await client.query(`create role ${user} superuser login password ${client.escapeLiteral(POSTGRES_PASSWORD ?? '')}`)
  await client.query(`create database ${client.escapeIdentifier(POSTGRES_DB ?? '')} owner ${user}`)
  await client.end()
  const own = new URL(url)
  own.username = POSTGRES_USER ?? ''
  own.pathname = `/${POSTGRES_DB}`
  const primary = new pg.Client({ connectionString: own.href })
  primary.on('error', () => {})
  await primary.connect()
  return primary
}

/** The variables of the image and of compose.yaml, with addresses of this machine. */
function nodeEnvironment(
  environment: Record<string, string>,
  hosts: Readonly<Record<string, string>>,
  data: string,
): Record<string, string> {
  const given = { ...imageEnvironment(), ...withDefaults(environment) }
  const local = Object.entries(given).map(([name, value]): [string, string] => {
    const at = /^(postgres:\/\/[^@]+@)(\w+):5432(\/.*)$/.exec(value)
    return at === null ? [name, value] : [name, `${at[1]}${hosts[at[2] ?? '']}${at[3]}`]
  })
  // The load balancer comes from this machine, in place of a private network.
  return {
    ...Object.fromEntries(local),
    KALENDS_DATA: data,
    KALENDS_HOST: '127.0.0.1',
    KALENDS_TRUST_PROXY: 'loopback',
  }
}

async function makeNode(
  name: string,
  variables: Record<string, string>,
  undo: (() => unknown)[],
): Promise<NodeProcess> {
  const port = await freePort()
  // Nothing of the settings of whoever runs the tests.
  const env = { PATH: process.env.PATH, ...variables, KALENDS_PORT: String(port) }
  const words: string[] = JSON.parse(
    /CMD (\[.*\])/.exec(valuesOf('HEALTHCHECK', readDockerfile().final).join())?.[1] ?? '',
  )
  let out = ''
  let child: ChildProcess | undefined
  undo.push(() => child && end(child))
  return {
    name,
    port,
    child() {
      if (child === undefined) throw new Error(`${name} was not started`)
      return child
    },
    out: () => out,
    answered: () =>
      out
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'answered'),
    async start() {
      const started = startProcess(process.execPath, [join(ROOT, 'bin/kalends.js'), 'serve'], {
        env,
        cwd: variables.KALENDS_DATA,
      })
      child = started
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk) => {
          out += chunk
        })
      }
      await until(async () => {
        if (started.exitCode !== null) throw new Error(`${name} has ended: ${out}`)
        await run(process.execPath, words.slice(1), { env })
        return true
      })
    },
  }
}
