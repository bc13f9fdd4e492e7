import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../support/commands.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/service.ts'
import { startMailServer } from '../support/smtp.ts'

describe('kalends doctor', () => {
  let data: string
  before(async () => {
    data = mkdtempSync(join(tmpdir(), 'kalends-doctor-'))
    await runCommand(['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', data])
  })
  after(() => rmSync(data, { recursive: true }))

  const examine = (env: Record<string, string> = {}, ...flags: string[]) =>
    runCommand(['doctor', '--data', data, ...flags], env)

  const hasProblem = async (env: Record<string, string>, line: RegExp, flags: string[] = []) => {
    const { code, out } = await examine(env, ...flags)
    assert.equal(code, 1, out)
    assert.match(out, line)
  }

  it('finds nothing wrong with a new calendar, and says on each line what to do', async () => {
    const { code, out, err } = await examine()
    assert.deepEqual([code, err], [0, ''], out)
    for (const line of out.trimEnd().split('\n')) assert.match(line, /^ok {7}[\w ]+: .+ \(.+\)$/)
    for (const name of [
      'configuration',
      'permissions',
      'free space',
      'clock',
      'database settings',
      'base address',
      'mail',
    ])
      assert.match(out, new RegExp(`^ok +${name}: `, 'm'))
  })

  it('finds the service at its base address, and another program there', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    const found = await examine({ KALENDS_BASE_URL: await service.listen() })
    assert.deepEqual([found.code, /the service answers at/.test(found.out)], [0, true], found.out)
    const other = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    t.after(() => other.close())
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await hasProblem({ KALENDS_BASE_URL: `http://127.0.0.1:${port}` }, /^problem +base address: .*not as Kalends/m)
    const unused = await freePort()
    await hasProblem({ KALENDS_BASE_URL: `http://127.0.0.1:${unused}` }, /^problem +base address: .*cannot be reached/m)
  })

  it('tries the mail server', async (t) => {
    const smtp = await startMailServer()
    t.after(() => smtp.close())
    const from = { KALENDS_MAIL_FROM: 'calendar@example.org' }
    const { code, out } = await examine({ ...from, KALENDS_SMTP_URL: smtp.url })
    assert.deepEqual([code, /^ok +mail: the server takes letters/m.test(out)], [0, true], out)
    await hasProblem({ ...from, KALENDS_SMTP_URL: `smtp://127.0.0.1:${await freePort()}` }, /^problem +mail: /m)
  })

  it('names a setting that cannot be used, and a database that cannot be reached', async () => {
    await hasProblem({ KALENDS_WORKERS: 'many' }, /^problem +configuration: KALENDS_WORKERS must be/m)
    const nobody = `postgres://nobody:secret@127.0.0.1:${await freePort()}/none`
    await hasProblem({ KALENDS_DATABASE_URL: nobody }, /^problem +database: (?!.*secret)/m)
  })

  it('looks at the folder of backups and at the certificate', async () => {
    const file = join(data, 'kalends.sqlite')
    const at = (folder: string) => ({ KALENDS_BACKUP_EVERY: '24h', KALENDS_BACKUP_TO: folder })
    await hasProblem(at(join(file, 'backups')), /^problem +backups: .*KALENDS_BACKUP_TO/m)
    const { code, out } = await examine(at(join(data, 'not', 'there', 'yet')))
    assert.deepEqual([code, /^ok +backups: /m.test(out)], [0, true], out)
    const tls = (cert: string, key: string) => ({ KALENDS_TLS_CERT: cert, KALENDS_TLS_KEY: key })
    await hasProblem(tls(file, file), /^problem +certificate: .*KALENDS_TLS_CERT/m)
    const [key, cert] = [join(data, 'own.key'), join(data, 'own.pem')]
    const flags = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3', '-subj', '/CN=a']
    execFileSync('openssl', ['req', ...flags, '-keyout', key, '-out', cert], { stdio: 'pipe' })
    const good = await examine(tls(cert, key))
    assert.deepEqual([good.code, /^ok +certificate: it is valid/m.test(good.out)], [0, true], good.out)
  })

  it('sees an open folder, data from the future and a later version', async () => {
    chmodSync(data, 0o755)
    await hasProblem({}, /^problem +permissions: .*chmod 700/m)
    // Opening the database closes the folder.
    assert.equal(statSync(data).mode & 0o777, 0o700)
    const file = join(data, 'kalends.sqlite')
    const now = new Date()
    utimesSync(file, now, new Date(now.getTime() + 3_600_000))
    await hasProblem({}, /^problem +clock: /m)
    utimesSync(file, now, now)
    const database = new DatabaseSync(file)
    database.exec(`insert into kysely_migration (name, timestamp) values ('9999-later', '')`)
    database.close()
    await hasProblem({}, /^problem +database: the database was made by a later version/m)
  })
})
