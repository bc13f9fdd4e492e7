import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Json, PASSWORD, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

const run = promisify(execFile)
const WHEN = { start_date: '2031-06-10 12:00', end_date: '2031-06-10 15:00' }

describe('the packed @kalends/client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-client-'))
  const packed = join(folder, 'node_modules/@kalends/client')
  let service: Service
  let url: string
  let client: Json
  before(async () => {
    service = await startService()
    url = await service.listen()
    const copy = join(folder, 'packages/client')
    cpSync(join(ROOT, 'packages/client'), copy, { recursive: true, filter: (source) => !source.endsWith('dist') })
    cpSync(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'))
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` }
    await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, env })
    const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'))
    mkdirSync(packed, { recursive: true })
    await run('tar', ['-xzf', join(folder, `kalends-client-${version}.tgz`), '-C', packed, '--strip-components=1'])
    client = await import(pathToFileURL(join(packed, 'dist/index.js')).href)
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has everything that a registry needs', () => {
    const manifest = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
    assert.match(manifest.repository.url, /^git\+https:/)
    assert.equal(manifest.version, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
    for (const file of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/types.d.ts'])
      assert.ok(existsSync(join(packed, file)), file)
    const links = [...readFileSync(join(packed, 'README.md'), 'utf8').matchAll(/\]\(([^)]+)\)/g)]
    for (const [, link = ''] of links) assert.match(link, /^https:\/\//)
  })

  it('creates, and iterates over pages and changes', async () => {
    const kalends = new client.Kalends({ url, username: 'editor', password: PASSWORD })
    for (let n = 0; n < 3; n++) await kalends.events.create({ title: `Packed ${n}`, ...WHEN })
    const titles: string[] = []
    for await (const event of kalends.events.all({ start_date: '2031-01-01', per_page: 2 })) titles.push(event.title)
    assert.deepEqual(titles, ['Packed 0', 'Packed 1', 'Packed 2'])
    const collect = async (since?: string) => {
      const found: Json[] = []
      const changes = kalends.changes({ since, types: 'event', per_page: 2 })
      for await (const change of changes) found.push(change)
      return { found, token: changes.token }
    }
    const { found, token } = await collect()
    assert.equal(found.length, 3)
    await kalends.events.remove(found[0].id)
    const later = await collect(token)
    assert.deepEqual(
      later.found.map(({ id, action }) => [id, action]),
      [[found[0].id, 'removed']],
    )
    const page = await kalends.changes({ since: token })
    assert.equal(page.changes.length, 1)
  })

  it('sends a write again that was not answered, and it is done once', async () => {
    let requests = 0
    const keys = new Set<unknown>()
    const proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (request.method === 'POST') keys.add(request.headers['idempotency-key'])
      const answer = await service.inject({
        method: request.method as 'POST',
        url: request.url ?? '',
        headers: { ...(request.headers as Record<string, string>), 'accept-encoding': 'identity' },
        payload: Buffer.concat(chunks),
      })
      // The first answer is lost.
      if (requests++ === 0) response.destroy()
      else response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(answer.body)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    try {
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      const kalends = new client.Kalends({ url: address, username: 'editor', password: PASSWORD })
      const { title } = await kalends.events.create({ title: 'Retried', ...WHEN })
      assert.deepEqual([title, requests, keys.size], ['Retried', 2, 1])
      const { total } = await kalends.events.list({ start_date: '2031-01-01', search: 'Retried' })
      assert.equal(total, 1)
    } finally {
      proxy.close()
      proxy.closeAllConnections()
    }
  })

  it('verifies webhooks', async () => {
    const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
    const body = JSON.stringify({ type: 'event.created', timestamp: 'now', data: { type: 'event', id: 1 } })
    const sign = (at: number) => {
      const key = Buffer.from(secret.slice(6), 'base64')
      const signature = createHmac('sha256', key).update(`msg_1.${at}.${body}`).digest('base64')
      return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,AAAA v1,${signature}` }
    }
    const now = Math.floor(Date.now() / 1000)
    assert.equal((await client.verifyWebhook(body, sign(now), secret)).data.id, 1)
    assert.equal((await client.verifyWebhook(body, new Headers(sign(now)), secret)).type, 'event.created')
    for (const [text, headers, key] of [
      [`${body} `, sign(now), secret],
      [body, sign(now - 600), secret],
      [body, {}, secret],
      [body, sign(now), `whsec_${btoa('another secret')}`],
    ])
      await assert.rejects(client.verifyWebhook(text, headers, key), { name: 'WebhookError' })
  })
})
