import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createToken } from '../../src/domain/users.ts'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { ON_POSTGRES } from '../support/store.ts'

const WHEN = { start_date: '10 June 2031 7pm', end_date: '10 June 2031 10pm' }

describe('an assistant', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-mcp-'))
  let service: Service
  let url: string
  before(async () => {
    service = await startService({ folder })
    url = await service.listen()
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const connect = async (role: string) => {
    const token = await createToken({ db: service.db, clock: () => Math.floor(Date.now() / 1000) }, role, '')
    const client = new Client({ name: 'test', version: '1' })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as never)
    return client
  }
  const use = async (client: Client, name: string, given: Json): Promise<Json> => {
    const result = (await client.callTool({ name, arguments: given })) as Json
    return { ...result.structuredContent, isError: result.isError === true }
  }

  it('finds tools for events, venues and organizers', async () => {
    const client = await connect('editor')
    const { tools } = await client.listTools()
    const kinds = ['event', 'venue', 'organizer']
    assert.deepEqual(
      tools.map(({ name }) => name).sort(),
      kinds.flatMap((kind) => [`search_${kind}s`, `get_${kind}`, `create_${kind}`, `update_${kind}`]).sort(),
    )
    const create = tools.find(({ name }) => name === 'create_event')
    assert.deepEqual(create?.inputSchema.required, ['title', 'start_date', 'end_date'])
    await client.close()
  })

  it('searches, reads, creates and changes, with dates in words and dry runs', async () => {
    const client = await connect('editor')
    const tried = await use(client, 'create_event', { title: 'Concert', ...WHEN, dry_run: true })
    assert.equal(tried.title, 'Concert')
    assert.equal((await use(client, 'search_events', { start_date: '2031-01-01' })).total, 0)
    const made = await use(client, 'create_event', { title: 'Concert', ...WHEN, venue: { venue: 'Hall' } })
    assert.equal(made.start_date, '2031-06-10 19:00:00')
    assert.match(made.when, /Tuesday, June 10, 2031/)
    const found = await use(client, 'search_events', { search: 'concert', start_date: '2031-01-01' })
    assert.equal(found.events[0].id, made.id)
    assert.equal((await use(client, 'get_event', { slug: 'concert' })).id, made.id)
    await use(client, 'update_event', { id: made.id, title: 'Other', dry_run: true })
    assert.equal((await use(client, 'get_event', { id: made.id })).title, 'Concert')
    assert.equal((await use(client, 'update_event', { id: made.id, title: 'Other' })).title, 'Other')
    assert.equal((await use(client, 'search_venues', { search: 'Hall' })).venues.length, 1)
    assert.equal((await use(client, 'create_organizer', { organizer: 'Guild' })).organizer, 'Guild')
    const wrong = await use(client, 'create_event', { title: 'No dates' })
    assert.deepEqual([wrong.isError, wrong.code], [true, 'rest_missing_callback_param'])
    await client.close()
  })

  it('is shown the plan of a change of a series', async () => {
    const client = await connect('editor')
    const recurrence = 'FREQ=WEEKLY;COUNT=4'
    const tried = await use(client, 'create_event', { title: 'Rhymes', ...WHEN, recurrence, dry_run: true })
    assert.equal(tried.plan.created.length, 4)
    const { id } = await use(client, 'create_event', { title: 'Rhymes', ...WHEN, recurrence })
    const change = { id, scope: 'all', title: 'Songs', recurrence: 'FREQ=WEEKLY;COUNT=3' }
    const { title, plan } = await use(client, 'update_event', { ...change, dry_run: true })
    assert.equal(title, 'Songs')
    assert.deepEqual([plan.created.length, plan.changed.length, plan.removed.length], [0, 3, 1])
    const asText = await use(client, 'update_event', { ...change, dry_run: 'true' })
    assert.deepEqual(asText.plan, plan)
    const wrong = await use(client, 'update_event', { ...change, dry_run: 'perhaps' })
    assert.deepEqual([wrong.isError, Object.keys(wrong.data.params)], [true, ['dry_run']])
    const found = await use(client, 'search_events', { series: id })
    assert.deepEqual([found.total, found.events[0].title], [4, 'Rhymes'])
    const done = await use(client, 'update_event', { ...change, dry_run: false })
    assert.deepEqual([done.title, done.plan], ['Songs', undefined])
    const left = await use(client, 'search_events', { series: id })
    assert.deepEqual(
      left.events.map((event: Json) => ({ id: event.id, start_date: event.start_date })),
      plan.changed.toSorted((one: Json, other: Json) => one.start_date.localeCompare(other.start_date)),
    )
    await client.close()
  })

  it('is refused too many arguments and too long results in words, without keeping others waiting', async () => {
    const token = await createToken({ db: service.db, clock: () => Math.floor(Date.now() / 1000) }, 'editor', '')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const ask = (name: string, given: object) =>
      service.inject({
        method: 'POST',
        url: '/mcp',
        headers,
        payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
      })
    const many = Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`k${n}`, n]))
    const refused = await ask('search_events', many)
    assert.deepEqual([refused.statusCode, refused.json().code], [400, 'rest_too_many_fields'])
    assert.ok((await longestHold(() => ask('search_events', many))) < LONGEST_HOLD)
    const description = 'word '.repeat(10_000)
    for (let n = 0; n < 12; n++)
      await service.expect(201, 'editor', '/events', {
        json: { title: `Long ${n}`, description, start_date: '2041-06-10 19:00', end_date: '2041-06-10 22:00' },
      })
    const { result } = (await ask('search_events', { start_date: '2041-01-01' })).json() as Json
    assert.equal(result.isError, true)
    assert.match(result.structuredContent.data.params.per_page, /too long/)
    const some = { start_date: '2041-01-01', per_page: 5 }
    assert.equal(((await ask('search_events', some)).json() as Json).result.structuredContent.events.length, 5)
    assert.ok((await longestHold(() => ask('search_events', some))) < LONGEST_HOLD)
  })

  it('has the rights of its user, and needs one', async () => {
    const client = await connect('subscriber')
    const refused = await use(client, 'create_event', { title: 'Mine', ...WHEN })
    assert.deepEqual([refused.isError, refused.code], [true, 'rest_forbidden'])
    await client.close()
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(response.status, 401)
  })

  it('works on standard input and output', async () => {
    const client = new Client({ name: 'test', version: '1' })
    const args = [join(ROOT, 'src/main.ts'), 'mcp', '--user', 'author', '--data', folder]
    const env = { ...getDefaultEnvironment(), ...(ON_POSTGRES && { KALENDS_DATABASE_URL: service.where }) }
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }) as never)
    const made = await use(client, 'create_event', {
      title: 'By wire',
      start_date: 'tomorrow noon',
      end_date: 'tomorrow 14:00',
    })
    assert.equal(made.isError, false)
    assert.equal((await service.expect(200, null, `/events/${made.id}`)).author, String(service.ids.author))
    await client.close()
  })
})
