import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'
import { runKalends } from '../support/processes.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

/** The programs of a server as Debian installs them. */
const BIN = globSync('/usr/lib/postgresql/*/bin').at(-1)
const isRoot = userInfo().uid === 0
const skip = ON_POSTGRES
  ? 'starts its own server'
  : (BIN === undefined || !isRoot) && 'needs PostgreSQL of Debian, and root'

/** Runs a program as the user of the server, who may not be root. */
function run(program: string, ...args: string[]): void {
  execFileSync('runuser', ['-u', 'postgres', '--', join(BIN ?? '', program), ...args], { stdio: 'ignore', cwd: '/' })
}

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe('archiving on PostgreSQL, as docs/operations.md describes it', { skip }, () => {
  it('brings a calendar back to a moment between two writes', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-moment-'))
    const owner = Number(execFileSync('id', ['-u', 'postgres']))
    chownSync(folder, owner, owner)
    const [data, base, archive] = ['data', 'base', 'archive'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    mkdirSync(archive)
    chownSync(archive, owner, owner)
    const port = await freePort()
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const settings = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\n`
    run('initdb', '-D', data, '-E', 'UTF8', '--locale=C', '-A', 'trust')
    const archiving = `archive_mode = on\narchive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`
    appendFileSync(join(data, 'postgresql.conf'), settings + archiving)
    run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-w', 'start')
    let running = data
    t.after(() => {
      run('pg_ctl', '-D', running, '-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true })
    })
    const env = { KALENDS_DATABASE_URL: url, KALENDS_DATA: join(folder, 'files') }
    const add = (name: string) =>
      runKalends(['user', 'add', name, '--role', 'editor', '--email', `${name}@example.org`], env)
    assert.equal((await add('before-base')).code, 0)
    run(
      'pg_basebackup',
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
      `--pgdata=${base}`,
      '--wal-method=stream',
      '--checkpoint=fast',
    )
    assert.equal((await add('wanted')).code, 0)
    const [moment] = await ask<{ now: string }>(url, `select clock_timestamp()::text as now`)
    assert.equal((await add('mistake')).code, 0)
    const [last] = await ask<{ file: string }>(url, 'select pg_walfile_name(pg_switch_wal()) as file')
    await eventually(async () => {
      const [archived] = await ask<{ name: string | null }>(
        url,
        'select last_archived_wal as name from pg_stat_archiver',
      )
      return (archived?.name ?? '') >= (last?.file ?? '')
    })
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
    const target = `recovery_target_time = '${moment?.now}'\nrecovery_target_action = 'promote'\n`
    appendFileSync(
      join(base, 'postgresql.conf'),
      `restore_command = 'cp ${archive}/%f %p'\narchive_mode = off\n${target}`,
    )
    writeFileSync(join(base, 'recovery.signal'), '')
    chownSync(join(base, 'recovery.signal'), owner, owner)
    run('pg_ctl', '-D', base, '-l', join(folder, 'log'), '-w', 'start')
    running = base
    await eventually(
      async () => !(await ask<{ pg_is_in_recovery: boolean }>(url, 'select pg_is_in_recovery()'))[0]?.pg_is_in_recovery,
    )
    const { out } = await runKalends(['user', 'list'], env)
    assert.match(out, /before-base/)
    assert.match(out, /wanted/)
    assert.doesNotMatch(out, /mistake/)
    assert.equal((await runKalends(['check'], env)).code, 0)
  })
})
