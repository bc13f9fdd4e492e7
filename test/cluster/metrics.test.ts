import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'
import { serveProcesses } from '../support/workers.ts'

const LIST = '/calendar/events/v1/events'
const COUNTED = `kalends_http_requests_total{method="GET",route="${LIST}",status="200"}`

function figure(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}

describe('figures', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-metrics-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const workers of ['1', '3']) {
    it(`of ${workers} processes are told together, on a port of their own`, async (t) => {
      const data = join(folder, workers)
      const store = await freshStore(data)
      t.after(() => store.drop())
      const port = await freePort()
      const env = { KALENDS_METRICS_PORT: String(port), ...(ON_POSTGRES && { KALENDS_DATABASE_URL: store.where }) }
      const served = await serveProcesses(['--data', data, '--workers', workers], env)
      const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      for (let n = 0; n < 12; n++) {
        const connection = served.connect('nobody')
        assert.equal((await connection.send('GET', '/events')).status, 200)
        connection.close()
      }
      const text = await read()
      assert.equal(figure(text, COUNTED), 12)
      assert.equal(figure(text, 'kalends_processes'), Number(workers))
      assert.equal(figure(text, 'kalends_database_up'), 1)
      assert.equal(text.match(/^kalends_info\{version="[\d.]+"\} 1$/gm)?.length, 1)
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404)
      assert.equal((await fetch(`${served.url}/metrics`)).status, 404)
      served.child.kill('SIGTERM')
      assert.equal(await served.closed, 0)
    })
  }

  it('ask for a token on both ports, and are those of all workers on the main one', async () => {
    const token = 'secret-of-prometheus'
    const headers = { authorization: `Bearer ${token}` }
    const port = await freePort()
    const own = await serveProcesses(['--data', join(folder, 'own')], {
      KALENDS_METRICS_PORT: String(port),
      KALENDS_METRICS_TOKEN: token,
    })
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 401)
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).status, 200)
    assert.equal((await fetch(`${own.url}/metrics`, { headers })).status, 404)
    own.child.kill('SIGTERM')
    await own.closed
    const main = await serveProcesses(['--data', join(folder, 'main'), '--workers', '2'], {
      KALENDS_METRICS_TOKEN: token,
    })
    assert.equal((await fetch(`${main.url}/metrics`)).status, 401)
    for (let n = 0; n < 3; n++) {
      const text = await (await fetch(`${main.url}/metrics`, { headers })).text()
      assert.equal(figure(text, 'kalends_processes'), 2)
    }
    main.child.kill('SIGTERM')
    await main.closed
  })
})
