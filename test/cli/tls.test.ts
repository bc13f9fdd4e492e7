import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { runCommand } from '../support/commands.ts'
import { serveRefused, startKalends } from '../support/processes.ts'
import { some } from '../support/thorough.ts'
import { eventually } from '../support/workers.ts'

describe('a service with a certificate of its own', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-tls-'))
    for (const name of ['first', 'second']) makeCertificate(name)
  })
  after(() => rmSync(folder, { recursive: true }))

  const path = (name: string) => join(folder, name)

  function makeCertificate(name: string): void {
    const flags = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']
    const files = ['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`)]
    execFileSync('openssl', ['req', ...flags, ...files, '-subj', `/CN=${name}`], { stdio: 'pipe' })
  }

  /** Asks on a connection of its own; answers the status, the body and the name in the certificate. */
  function ask(url: string, address: string): Promise<{ status: number; body: string; name: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${address}`, { rejectUnauthorized: false, agent: false }, async (response) => {
        const name = String((response.socket as TLSSocket).getPeerCertificate().subject.CN)
        const body = Buffer.concat(await response.toArray()).toString()
        resolve({ status: response.statusCode ?? 0, body, name })
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  for (const workers of some(['2', '1'], 1)) {
    it(`speaks https in ${workers} processes, and reads the certificate again`, async () => {
      const [cert, key] = [path(`used-${workers}.pem`), path(`used-${workers}.key`)]
      copyFileSync(path('first.pem'), cert)
      copyFileSync(path('first.key'), key)
      const flags = ['--port', '0', '--host', '127.0.0.1', '--workers', workers, '--data', path(`data-${workers}`)]
      const child = startKalends(['serve', ...flags, '--tls-cert', cert, '--tls-key', key])
      let out = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data))
      const closed = new Promise((resolve) => child.on('close', resolve))
      await eventually(() => /listening at https:\/\/[\d.:]+/.test(out) || child.exitCode !== null)
      const url = /listening at (https:\/\/[\d.:]+)/.exec(out)?.[1] ?? ''
      for (let n = 0; n < 4; n++) {
        const { status, body, name } = await ask(url, '/calendar/events/v1/events')
        assert.deepEqual([status, JSON.parse(body).total, name], [200, 0, 'first'])
      }
      await assert.rejects(fetch(url.replace('https:', 'http:')))
      assert.doesNotMatch(out, /KALENDS_TRUST_PROXY/)
      copyFileSync(path('second.pem'), cert)
      copyFileSync(path('second.key'), key)
      child.kill('SIGHUP')
      const told = () => out.match(/the certificate was read again/g)?.length ?? 0
      await eventually(() => told() === Number(workers))
      for (let n = 0; n < 4; n++) assert.equal((await ask(url, '/healthz')).name, 'second')
      writeFileSync(cert, 'not a certificate')
      child.kill('SIGHUP')
      await eventually(() => /cannot be read again/.test(out))
      assert.equal((await ask(url, '/healthz')).name, 'second')
      child.kill('SIGTERM')
      assert.equal(await closed, 0, out)
    })
  }

  it('does not start without both files, or with files that cannot be used', async () => {
    const data = ['--data', path('refused')]
    const cert = ['--tls-cert', path('first.pem')]
    assert.match((await runCommand(['serve', ...data, ...cert])).err, /^kalends: .*need each other/)
    const missing = await runCommand(['serve', ...data, ...cert, '--tls-key', path('none.key')])
    assert.match(missing.err, /^kalends: --tls-key must be the path of a file/)
    for (const workers of some(['1', '2'], 1)) {
      const other = ['--tls-key', path('second.key'), '--workers', workers]
      const { code, err } = await serveRefused([...data, ...cert, ...other])
      assert.equal(code, 1)
      assert.match(err, /the certificate or its key cannot be used: /)
    }
  })
})
