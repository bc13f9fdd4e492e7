import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { SHARED_METRICS } from '../../src/domain/figures.ts'
import { metricNames } from '../../src/lib/metrics.ts'
import { startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { eventually } from '../support/workers.ts'

const TOKEN = 'a-token-for-prometheus'

/** Figures by name and labels. */
function read(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

describe('/metrics', () => {
  it('is not there unless a port or a token is set', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    assert.equal((await service.inject({ url: '/metrics' })).statusCode, 404)
  })

  it('asks for the token on the main port', async (t) => {
    const service = await startService({ settings: { metricsToken: TOKEN } })
    t.after(() => service.close())
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN]) {
      const headers: Record<string, string> = authorization === '' ? {} : { authorization }
      const { statusCode, headers: sent } = await service.inject({ url: '/metrics', headers })
      assert.deepEqual([statusCode, sent['www-authenticate']], [401, 'Bearer'], authorization)
    }
    const answer = await service.inject({ url: '/metrics', headers: { authorization: `Bearer ${TOKEN}` } })
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/)
    assert.match(String(answer.headers['cache-control']), /no-store/)
  })

  it('counts answers by route and status, cache hits by layer, transactions, jobs and imports', async (t) => {
    const service = await startService({ settings: { metricsToken: TOKEN, fetchHosts: '127.0.0.1' } })
    t.after(() => service.close())
    const url = await service.listen()
    const figures = async () => {
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const text = await answer.text()
      for (const line of text.trimEnd().split('\n'))
        assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"]*",?)+\})? -?[\d.e+-]+|.*\+Inf.*)$/)
      return read(text)
    }
    const before = await figures()
    const list = '/calendar/events/v1/events'
    const added = async (name: string, ask: () => Promise<unknown>) => {
      const earlier = (await figures()).get(name) ?? 0
      await ask()
      return ((await figures()).get(name) ?? 0) - earlier
    }
    const get = (path: string) => fetch(url + path).then((answer) => answer.text())
    const counted = `kalends_http_requests_total{method="GET",route="${list}",status="200"}`
    // The second answer is sent by the fast path.
    assert.equal(await added(counted, () => get(list).then(() => get(list))), 2)
    const hits = 'kalends_cache_lookups_total{layer="response",result="hit"}'
    // What is asked for often is in memory.
    assert.ok((await added(hits, () => get(list).then(() => get(list)))) >= 1)
    const missing = `kalends_http_requests_total{method="GET",route="${list}/:id",status="404"}`
    assert.equal(await added(missing, () => get(`${list}/999999`)), 1)
    const unknown = 'kalends_http_requests_total{method="GET",route="none",status="404"}'
    assert.equal(await added(unknown, () => get('/no/such/page')), 1)
    const writes = 'kalends_database_duration_seconds_count{kind="write"}'
    const create = () => service.expect(201, 'editor', '/venues', { json: { venue: 'Hall' } })
    assert.ok((await added(writes, create)) >= 1)
    const after = await figures()
    const durations = `kalends_http_request_duration_seconds`
    assert.ok((after.get(`${durations}_bucket{method="GET",route="${list}",le="+Inf"}`) ?? 0) >= 3)
    assert.ok((after.get(`${durations}_sum{method="GET",route="${list}"}`) ?? 0) > 0)
    for (const name of ['kalends_database_up', 'kalends_processes', 'process_resident_memory_bytes'])
      assert.ok((after.get(name) ?? 0) >= 1, name)
    assert.ok([...after.keys()].some((name) => name.startsWith('kalends_event_loop_delay_quantile_seconds{quantile=')))
    assert.ok((after.get('process_cpu_seconds_total') ?? 0) > (before.get('process_cpu_seconds_total') ?? 0))
    const hook = { url: 'http://127.0.0.1:9/', events: ['venue.created'] }
    await service.expect(201, 'administrator', '/webhooks', { json: hook })
    await service.expect(201, 'editor', '/venues', { json: { venue: 'Another hall' } })
    assert.equal((await figures()).get('kalends_webhook_pending'), 1)
    await sleep(2100)
    assert.ok(((await figures()).get('kalends_webhook_lag_seconds') ?? 0) >= 1)
    service.startJobs()
    const swept = 'kalends_job_runs_total{kind="sweep-unused-files",result="done"}'
    // A run is counted before its row is free again.
    const waiting = 'kalends_jobs{kind="sweep-unused-files",state="waiting"}'
    await eventually(async () => {
      const last = await figures()
      return (last.get(swept) ?? 0) >= 1 && last.has(waiting)
    })
  })

  it('has every name that the dashboard and the alerts use', () => {
    const known = [...metricNames(), ...Object.keys(SHARED_METRICS)]
    const names = new Set(known.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]))
    const file = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
    const dashboard = JSON.parse(file('grafana-dashboard.json'))
    const alerts = parse(file('prometheus-alerts.yaml'))
    const texts: string[] = [
      ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...dashboard.templating.list.map(({ query }: { query: unknown }) => JSON.stringify(query)),
      ...alerts.groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    ]
    assert.ok(texts.length > 25)
    const used = texts.flatMap((text) => text.match(/\b(?:kalends|process|nodejs)_\w+/g) ?? [])
    assert.deepEqual(
      used.filter((name) => !names.has(name)),
      [],
    )
    const unused = known.filter((name) => !used.some((one) => one.startsWith(name)))
    assert.deepEqual(unused, [], 'every figure is shown somewhere')
  })
})
