import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SETTINGS } from '../../src/config.ts'
import { ROOT } from '../support/sources.ts'

const deploy = (name: string) => join(ROOT, 'deploy', name)
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
/** Highest exposure that the unit may have, in tenths. */
const MAX_EXPOSURE = 30

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

describe('the examples in deploy/', () => {
  it('have a unit that systemd takes, with little exposure', { skip: !has('systemd-analyze') }, () => {
    assert.equal(run('systemd-analyze', 'verify', deploy('kalends.service')), '')
    run('systemd-analyze', 'security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, deploy('kalends.service'))
  })

  it('give the unit enough time to stop', () => {
    const unit = readFileSync(deploy('kalends.service'), 'utf8')
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    assert.ok(seconds >= Number(SETTINGS.stopDelay.fallback) + 12)
  })

  it('have alert rules that Prometheus takes', { skip: !has('promtool') }, () => {
    assert.match(run('promtool', 'check', 'rules', deploy('prometheus-alerts.yaml')), /SUCCESS: \d+ rules found/)
  })

  it('have a configuration that Caddy takes', { skip: !has('caddy') }, () => {
    run('caddy', 'adapt', '--config', deploy('Caddyfile'), '--adapter', 'caddyfile')
    assert.equal(run('caddy', 'fmt', deploy('Caddyfile')), readFileSync(deploy('Caddyfile'), 'utf8'))
  })

  it('have a configuration with TLS that nginx takes', { skip: !has('nginx') || !has('openssl') }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-nginx-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const flags = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=calendar.example.org']
    execFileSync('openssl', ['req', ...flags, '-keyout', key, '-out', cert], { stdio: 'pipe' })
    const text = readFileSync(deploy('nginx-tls.conf'), 'utf8')
      .replace(/(ssl_certificate) .*;/, `$1 ${cert};`)
      .replace(/(ssl_certificate_key) .*;/, `$1 ${key};`)
    writeFileSync(join(folder, 'site.conf'), text)
    const main = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`
    writeFileSync(join(folder, 'nginx.conf'), main)
    run('nginx', '-t', '-p', folder, '-c', join(folder, 'nginx.conf'))
  })

  it('name no setting that does not exist', () => {
    const known = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
    for (const name of ['kalends.service', 'Caddyfile', 'nginx-tls.conf', 'prometheus-alerts.yaml'])
      for (const [variable] of readFileSync(deploy(name), 'utf8').matchAll(/\bKALENDS_\w+/g))
        assert.ok(known.has(variable), `${name}: ${variable}`)
  })
})

describe('README.md', () => {
  it('lists every setting', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const missing = Object.values(SETTINGS).filter(({ variable }) => !readme.includes(`\`${variable}\``))
    assert.deepEqual(
      missing.map(({ variable }) => variable),
      [],
    )
  })
})
