import { spawn } from 'node:child_process'
import { sql } from 'kysely'
import type { Tx } from '../dialect.ts'

/** The programs of PostgreSQL that copy a database to a file and back. */

export class DumpError extends Error {}

/** Major version of `pg_dump` or `pg_restore`; null if there is none. */
export async function toolVersion(program: 'pg_dump' | 'pg_restore'): Promise<number | null> {
  const text = await run(program, ['--version'], {}).catch(() => '')
  const found = /\b(\d+)(?:\.\d+)*/.exec(text)
  return found === null ? null : Number(found[1])
}

/** Whether `pg_dump` is here and knows the version of the server. */
export async function canDump(tx: Tx): Promise<boolean> {
  const version = await toolVersion('pg_dump')
  if (version === null) return false
  const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::int as version`.execute(
    tx,
  )
  return version >= Math.floor((rows[0]?.version ?? Number.POSITIVE_INFINITY) / 10_000)
}

/** Lets other connections read what this transaction reads, while it lasts. */
export async function exportSnapshot(tx: Tx): Promise<string> {
  const { rows } = await sql<{ name: string }>`select pg_export_snapshot() as name`.execute(tx)
  return rows[0]?.name ?? ''
}

/** Dumps a database as a transaction sees it that has exported its snapshot. */
export async function dump(url: string, snapshot: string, to: string): Promise<void> {
  const { address, env } = withoutPassword(url)
  const derived = ['event_templates', 'template_progress'].map((name) => `--exclude-table-data=*.${name}`)
  const flags = [
    '--format=custom',
    '--compress=0',
    '--no-owner',
    '--no-privileges',
    `--snapshot=${snapshot}`,
    ...derived,
  ]
  await run('pg_dump', [...flags, `--file=${to}`, `--dbname=${address}`], env)
}

/** Restores a dump in one transaction. */
export async function restoreDump(url: string, from: string): Promise<void> {
  const { address, env } = withoutPassword(url)
  const flags = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-comments']
  await run('pg_restore', [...flags, `--dbname=${address}`, from], env)
}

/** Other users of the machine see the arguments of a process, not its environment. */
function withoutPassword(url: string): { address: string; env: Record<string, string> } {
  const address = new URL(url)
  const password = decodeURIComponent(address.password)
  address.password = ''
  return { address: address.href, env: password === '' ? {} : { PGPASSWORD: password } }
}

function run(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    let [out, errors] = ['', '']
    child.stdout.on('data', (data) => (out += data))
    child.stderr.on('data', (data) => (errors += data))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(out)
      else reject(new DumpError(`${program} failed: ${errors.trim().split('\n')[0] ?? `exit code ${code}`}`))
    })
  })
}
