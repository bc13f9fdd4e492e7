import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const API = '/calendar/events/v1'

describe('addresses that mean the same', () => {
  let folder: string
  let service: Service
  let base: string
  let queries = 0
  const now = Date.UTC(2031, 5, 1, 12) / 1000

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-addresses-'))
    service = await startService({
      folder,
      clock: () => now,
      settings: { mounts: '/wp-json/tribe/events/v1' },
      onQuery: (sql) => {
        // A service that has just begun to listen starts the thread of its long reads.
        if (!/data_version|"settings"/.test(sql) && sql !== 'select 1') queries++
      },
    })
    base = await service.listen()
    const json = {
      title: 'Café concert',
      start_date: '2031-06-10 19:00',
      end_date: '2031-06-10 22:00',
      venue: { venue: 'Harbour Hall' },
      categories: ['Music'],
      tags: ['one', 'two'],
    }
    await service.expect(201, 'administrator', '/events', { json })
    const hidden = { ...json, title: 'Secret concert', password: 'open sesame' }
    await service.expect(201, 'administrator', '/events', { json: hidden })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const read = (path: string) => fetch(`${base}${path}`, { redirect: 'manual' })
  /** Asks for the first address, then for the others, which must be answered alike and without a query. */
  const areOne = async (first: string, ...others: string[]) => {
    const answer = await read(first)
    assert.equal(answer.status, 200, first)
    const [etag, text] = [answer.headers.get('etag'), await answer.text()]
    for (const other of others) {
      queries = 0
      for (const time of ['once', 'again']) {
        const same = await read(other)
        assert.equal(same.headers.get('etag'), etag, `${other} ${time}`)
        assert.equal(await same.text(), text, `${other} ${time}`)
      }
      assert.equal(queries, 0, `${other} costs a query`)
    }
  }

  it('share one answer whatever unknown parameters they carry, in REST, pages and feeds', async () => {
    const addresses = [
      ...['/', '/doc', '/events', '/venues', '/organizers', '/categories', '/tags'].map((path) => `${API}${path}`),
      ...['/', '/events/', '/events/month/', '/events/week/', '/events/day/', '/events/map/', '/docs', '/robots.txt'],
      ...['/sitemap.xml', '/sitemap/events-0.xml', '/event/cafe-concert/', '/venue/harbour-hall/', '/tag/one/'],
      ...['/events/category/music/', '/events.ics', '/events.rss', '/tag/one.json', '/events/category/music.atom'],
      ...['/event/cafe-concert.ics'],
    ]
    for (const path of addresses)
      await areOne(path, `${path}?x=1`, `${path}?y[]=2&z=%00&utm_source=a`, `${path}?constructor=1&__proto__=2`)
  })

  it('share one answer whatever the order of their parameters, the slash at their end and their encoding', async () => {
    await areOne(
      `${API}/events?page=1&per_page=5&search=concert`,
      `${API}/events?search=concert&per_page=5&page=1`,
      `${API}/events/?per_page=5&x=1&search=conc%65rt&page=1`,
    )
    await areOne(
      '/wp-json/tribe/events/v1/events?page=1&per_page=5&search=concert',
      '/wp-json/tribe/events/v1/events/?x=1&per_page=5&page=1&search=concert',
    )
    await areOne('/event/cafe-concert/', '/event/cafe-concert', '/event/c%61fe-concert/?x=1')
    await areOne('/events/?search=a+b&tag=one', '/events?tag=one&search=a%20b')
  })

  it('stay apart where a value, or the order of the values of one parameter, differs', async () => {
    const totals = async (query: string) => ((await (await read(`${API}/events?${query}`)).json()) as Json).total
    assert.equal(await totals('search=concert'), 2)
    assert.equal(await totals('search=caf%C3%A9'), 1)
    const order = async (query: string) => {
      const { tags } = (await (await read(`${API}/tags?orderby=include&${query}`)).json()) as Json
      return tags.map(({ name }: Json) => name)
    }
    const { tags } = (await (await read(`${API}/tags`)).json()) as Json
    const [one, two] = tags.map(({ id }: Json) => id)
    assert.deepEqual(await order(`include[]=${one}&include[]=${two}`), ['one', 'two'])
    assert.deepEqual(await order(`include[]=${two}&include[]=${one}`), ['two', 'one'])
  })

  it('are linked to with the parameters that are known, in their normal order', async () => {
    const list = (await (await read(`${API}/events?x=1&per_page=1&search=concert`)).json()) as Json
    assert.match(list.next_rest_url, /\?end_date=[^&]+&page=2&per_page=1&search=concert&start_date=[^&]+$/)
    const { pathname, search } = new URL(list.next_rest_url)
    await areOne(`${pathname}${search}`, `${pathname}${search}&x=2`)
  })

  it('are not kept when they carry a password', async () => {
    const open = await read(`${API}/events/by-slug/secret-concert?password=open+sesame`)
    assert.equal(open.status, 200)
    assert.equal(open.headers.get('cache-control'), 'private, no-store')
    assert.equal((await read(`${API}/events/by-slug/secret-concert?password=other`)).status, 403)
    assert.equal((await read(`${API}/events/by-slug/secret-concert`)).status, 403)
    const plain = await read(`${API}/events/by-slug/cafe-concert?password=other`)
    assert.equal(plain.status, 200)
    assert.equal(plain.headers.get('cache-control'), 'private, no-store')
  })
})
