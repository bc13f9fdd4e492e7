import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { processTime } from '../support/cost.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const EVENT = { title: 'E', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' }

/** Generous for a loaded machine; what these guard against took seconds or minutes. */
const SOON = 1500

describe('a hostile client', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const soon = async (what: string, work: () => Promise<{ statusCode: number }>) => {
    const start = processTime()
    const { statusCode } = await work()
    assert.ok(processTime() - start < SOON, `${what} took ${processTime() - start} ms`)
    assert.ok(statusCode < 500, `${what}: ${statusCode}`)
  }

  it('cannot lay out slugs so that the search for a free one never ends', async () => {
    for (let n = 1; n <= 55; n++)
      await service.expect(201, 'contributor', '/venues', {
        json: { venue: `v${n}`, slug: n === 1 ? 's' : `s-${2 ** (n - 1)}` },
      })
    await soon('a free slug', () => service.call('contributor', '/venues', { json: { venue: 'last', slug: 's' } }))
  })

  it('cannot make the choice of an encoding take long', async () => {
    for (const encoding of [
      `a${' '.repeat(15_000)}b`,
      ' ;'.repeat(7500),
      ','.repeat(15_000),
      `gzip;${' '.repeat(15_000)}q=1`,
    ])
      await soon('an encoding', () => service.call(null, '/events', { headers: { 'accept-encoding': encoding } }))
  })

  it('cannot make the body of a description take long to find', async () => {
    for (const html of ['<body'.repeat(100_000), '<body>'.repeat(80_000), '</body>'.repeat(70_000)]) {
      const raw = [
        'BEGIN:VCALENDAR',
        'BEGIN:VEVENT',
        'UID:long',
        'SUMMARY:Long',
        'DTSTART:20310610T190000Z',
        `X-ALT-DESC;FMTTYPE=text/html:${html}`,
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ].join('\r\n')
      const headers = { 'content-type': 'text/calendar' }
      const start = processTime()
      await service.call('editor', '/import', { raw, headers, query: { dry_run: 1 } })
      assert.ok(processTime() - start < 10 * SOON, `${html.slice(0, 8)} took ${processTime() - start} ms`)
    }
  })

  const importing = (lines: string[]) =>
    service.call('editor', '/import', {
      raw: ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'),
      headers: { 'content-type': 'text/calendar' },
      query: { dry_run: 1 },
    })

  it('cannot keep a calendar busy with rules that never come true, however many', async () => {
    const head = ['BEGIN:VEVENT', 'UID:rules', 'SUMMARY:Rules', 'DTSTART:20310610T190000Z']
    const rules = Array.from({ length: 5000 }, () => 'RRULE:FREQ=SECONDLY;BYSETPOS=2')
    const start = processTime()
    assert.equal((await importing([...head, ...rules, 'END:VEVENT'])).statusCode, 200)
    assert.ok(processTime() - start < 5 * SOON, `took ${processTime() - start} ms`)
  })

  it('cannot keep a calendar busy with changes that all begin later', async () => {
    const head = ['BEGIN:VEVENT', 'UID:later', 'SUMMARY:Later', 'DTSTART;TZID=Europe/Berlin:20310610T190000']
    const change = [
      'BEGIN:VEVENT',
      'UID:later',
      'SUMMARY:Changed',
      'DTSTART:20390610T190000Z',
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20390610T190000Z',
      'END:VEVENT',
    ]
    const changes = Array.from({ length: 2000 }, () => change).flat()
    const start = processTime()
    await importing([...head, 'RRULE:FREQ=HOURLY;COUNT=2000', 'END:VEVENT', ...changes])
    assert.ok(processTime() - start < 10 * SOON, `took ${processTime() - start} ms`)
  })

  it('who imports something long does not keep others waiting', async () => {
    let isDone = false
    const long = importing(Array.from({ length: 150_000 }, () => 'BEGIN:VEVENT')).finally(() => {
      isDone = true
    })
    for (let n = 0; n < 3; n++) await service.inject({ url: '/healthz' })
    assert.equal(isDone, false)
    assert.equal((await long).statusCode, 200)
  })

  const long: Record<string, object> = {
    'spaces in a cost': { cost: `a${' '.repeat(100_000)}b` },
    'a long cost': { cost: '1 '.repeat(130_000) },
    'spaces in a description': { description: `a${' '.repeat(90_000)}b` },
    'lines and spaces in a description': { description: '\n '.repeat(45_000) },
    'deep elements': { description: '<b>'.repeat(30_000) },
    'many elements': { description: '<b>x</b>'.repeat(12_000) },
    'many unclosed tags': { description: '<a '.repeat(30_000) },
    'a long attribute': { description: `<a href="${'&#x09;'.repeat(15_000)}">x</a>` },
    'piles of marks': { description: `a${'\u0301\u0316'.repeat(45_000)}` },
    'a long title': { title: '<'.repeat(500_000) },
    'a long date': { start_date: '1'.repeat(500_000) },
    'a long zone': { timezone: `A${'x'.repeat(900_000)}` },
    'a long address': { website: `https://x.org/${'%'.repeat(500_000)}` },
    'encoded over and over': { cost: `&${'amp;'.repeat(200_000)}lt;` },
    'a long password': { password: 'x'.repeat(900_000) },
    'many tags': { tags: Array.from({ length: 17_000 }, (_, n) => `t${n}`) },
    'many venues': { venue: Array.from({ length: 4000 }, (_, n) => ({ venue: 'v', city: `${n}` })) },
    'the same venue often': { venue: '1,'.repeat(300_000) },
  }
  for (const [what, json] of Object.entries(long)) {
    it(`cannot keep the service busy with ${what}`, () =>
      soon(what, () => service.call('contributor', '/events', { json: { ...EVENT, ...json } })))
  }

  for (const query of [
    'events?categories=',
    'events?venue=',
    'events?include=',
    'tags?hide_empty=0&orderby=include&include=',
    'events?search=',
    'events?tags=',
  ]) {
    it(`cannot keep it busy with a long ${query}`, () =>
      soon(query, () => service.inject({ url: `/calendar/events/v1/${query}${'1,2,'.repeat(3000)}` })))
  }

  it('gets no headers that a proxy has no room for, however long its address', async () => {
    for (const title of ['One', 'Two', 'Three'])
      await service.expect(201, 'author', '/events', { json: { ...EVENT, title } })
    const path = '/events?start_date=2031-01-01&per_page=1&page=2'
    const short = await service.call(null, path)
    assert.match(String(short.headers.link), /rel="next".*rel="prev"/)
    const long = await service.call(null, `${path}&_fields=next_rest_url,${'~'.repeat(10_000)}`)
    assert.equal(long.statusCode, 200)
    assert.ok(JSON.stringify(long.headers).length < 4000)
    assert.match(long.json().next_rest_url, /(%7E){10000}/)
  })

  it('cannot make a tree of categories without end', async () => {
    let parent = 0
    for (let depth = 1; depth <= 20; depth++)
      parent = (await service.expect(201, 'author', '/categories', { json: { name: `Level ${depth}`, parent } })).id
    const error = await service.expect(400, 'author', '/categories', { json: { name: 'Too deep', parent } })
    assert.deepEqual(Object.keys(error.data.params), ['parent'])
    const tree = await service.expect(201, 'author', '/categories', { json: { name: 'Tree' } })
    await service.expect(201, 'author', '/categories', { json: { name: 'Branch', parent: tree.id } })
    const { parent: nineteenth } = await service.expect(200, null, `/categories/${parent}`)
    await service.expect(400, 'author', `/categories/${tree.id}`, { method: 'PATCH', json: { parent: nineteenth } })
  })

  it('finds no markup in the details of a venue, however it is encoded', async () => {
    for (const address of ['&lt;img src=x onerror=alert(1)&gt;', '&amp;lt;script&amp;gt;x', '<script>x</script>']) {
      const venue = await service.expect(201, 'author', '/venues', { json: { venue: 'x', address } })
      assert.doesNotMatch(JSON.stringify(venue), /<(img|script)/)
    }
  })

  it('cannot reach into the prototypes of objects', async () => {
    for (const value of ['constructor', '__proto__', { toString: 1 }, [[[]]], 'TRUE']) {
      const error = await service.expect(400, 'author', '/events', { json: { ...EVENT, featured: value } })
      assert.deepEqual(Object.keys(error.data.params), ['featured'])
    }
    await service.expect(400, null, '/events', { query: { featured: 'constructor' } })
  })

  it('gets a form with too many fields refused, not cut', async () => {
    const raw = `${'x[]=1&'.repeat(6000)}title=T`
    const error = await service.expect(400, 'author', '/events', {
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(error.code, 'rest_too_many_fields')
    assert.equal(
      (await service.inject({ url: `/calendar/events/v1/events?${'tags[]=1&'.repeat(6000)}` })).statusCode,
      400,
    )
  })
})

describe('wrong passwords', () => {
  it('are soon not looked at any more, from one network', async () => {
    const service = await startService({ clock, settings: { loginLimit: '3' } })
    const attempt = async (remoteAddress: string, password: string) =>
      (
        await service.inject({
          url: '/calendar/events/v1/tags',
          remoteAddress,
          headers: { authorization: basic('editor', password) },
        })
      ).statusCode
    for (let n = 0; n < 3; n++) assert.equal(await attempt(`2001:db8::${n + 1}`, 'wrong'), 401)
    assert.equal(await attempt('2001:db8::99', 'wrong'), 429)
    assert.equal(await attempt('2001:db8:0:1::1', 'wrong'), 401)
    assert.equal(
      (await service.inject({ url: '/calendar/events/v1/tags', remoteAddress: '2001:db8::1' })).statusCode,
      200,
    )
    await service.close()
  })
})

describe('a database that another process holds', { skip: ON_POSTGRES && 'locks a file of SQLite' }, () => {
  it('is waited for while others are answered, and then told as a matter of time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-busy-'))
    const service = await startService({ folder })
    const other = new DatabaseSync(join(folder, 'kalends.sqlite'))
    other.exec('begin immediate')
    const write = service.call('editor', '/tags', { json: { name: 'Waits' } })
    assert.equal((await service.inject({ url: '/healthz' })).statusCode, 200)
    other.exec('commit')
    assert.equal((await write).statusCode, 201)
    other.exec('begin immediate')
    const refused = await service.call('editor', '/tags', { json: { name: 'Gives up' } })
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1'])
    other.exec('rollback')
    other.close()
    const tags: Json = await service.expect(200, null, '/tags', { query: { hide_empty: 0 } })
    assert.equal(tags.total, 1)
    await service.close()
    rmSync(folder, { recursive: true })
  })
})
