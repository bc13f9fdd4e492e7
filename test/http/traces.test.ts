import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import type { Json } from '../support/service.ts'
import { some } from '../support/thorough.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

interface Received {
  readonly path: string
  readonly headers: Record<string, unknown>
  readonly body: Json
}

/** A receiver of traces (OTLP over HTTP, JSON). */
async function startReceiver(t: TestContext): Promise<{ url: string; received: Received[]; spans(): Json[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(await text(request)) })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const spans = () =>
    received.flatMap(({ body }) =>
      body.resourceSpans.flatMap((one: Json) => one.scopeSpans.flatMap((all: Json) => all.spans)),
    )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans }
}

const attribute = (of: Json, key: string) => {
  const { value } = of.attributes.find((one: Json) => one.key === key) ?? { value: {} }
  return value.stringValue ?? Number(value.intValue)
}

describe('traces', () => {
  it('are sent where the variables of OpenTelemetry say, with spans of requests and of the database', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-traces-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const receiver = await startReceiver(t)
    const served = await serveProcesses(['--data', folder], {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=se%20cret,other=1',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_SERVICE_NAME: 'town-calendar',
      KALENDS_TRUST_PROXY: '127.0.0.1',
    })
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
    const list = '/calendar/events/v1/events'
    for (let n = 0; n < 2; n++)
      await (await fetch(served.url + list, { headers: { traceparent: `00-${trace}-${parent}-01` } })).text()
    await (await fetch(`${served.url}/no/such/page`)).text()
    await eventually(() => receiver.spans().filter(({ name }) => name === `GET ${list}`).length === 2)
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    const [first] = receiver.received
    assert.deepEqual([first?.path, first?.headers['x-key'], first?.headers.other], ['/v1/traces', 'se cret', '1'])
    const { resource } = first?.body.resourceSpans[0] ?? {}
    assert.equal(attribute(resource, 'service.name'), 'town-calendar')
    assert.equal(attribute(resource, 'deployment.environment'), 'test')
    const requests = receiver.spans().filter(({ name }) => name === `GET ${list}`)
    for (const span of requests) {
      assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [trace, parent, 2])
      assert.equal(attribute(span, 'http.response.status_code'), 200)
      assert.equal(attribute(span, 'http.route'), list)
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))
      assert.ok(Math.abs(Number(BigInt(span.startTimeUnixNano) / 1_000_000n) - Date.now()) < 120_000)
    }
    const database = receiver.spans().filter(({ name }) => name.startsWith('database '))
    assert.ok(database.some(({ traceId, parentSpanId }) => traceId === trace && parentSpanId === requests[0].spanId))
    const missing = receiver.spans().find(({ name }) => name === 'GET none')
    assert.equal(attribute(missing, 'http.response.status_code'), 404)
    assert.notEqual(missing.traceId, trace)
  })

  it('are sampled, turned off, and no reason to fail', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-traces-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const receiver = await startReceiver(t)
    const cases: Record<string, string>[] = [
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_TRACES_SAMPLER: 'always_off' },
      { OTEL_TRACES_EXPORTER: 'none' },
    ]
    for (const [n, env] of some(cases, 2).entries()) {
      const served = await serveProcesses(['--data', join(folder, String(n))], {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        ...env,
      })
      assert.equal((await fetch(`${served.url}/events/`)).status, 200)
      served.child.kill('SIGTERM')
      assert.equal(await served.closed, 0)
      assert.equal(/traces cannot be sent/.test(served.out()), n === 0)
    }
    assert.deepEqual(receiver.received, [])
  })
})
