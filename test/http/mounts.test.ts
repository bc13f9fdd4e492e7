import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const MAIN = '/calendar/events/v1'
const WORDPRESS = '/wp-json/tribe/events/v1'
const SHORT = '/api'
const HOME = 'http://calendar.example.org:8080'

describe('links under a mount', () => {
  let service: Service
  let base: string
  let event: Json

  before(async () => {
    service = await startService({
      clock: () => Date.UTC(2031, 5, 1, 12) / 1000,
      settings: { mounts: `${WORDPRESS},${SHORT}`, languages: 'en,fr' },
    })
    base = await service.listen()
    for (const day of ['10', '11', '12']) {
      const json = {
        title: `Concert ${day}`,
        start_date: `2031-06-${day} 19:00`,
        end_date: `2031-06-${day} 22:00`,
        venue: { venue: 'Harbour Hall' },
        organizer: { organizer: 'The Club' },
        categories: ['Music'],
        tags: ['jazz'],
      }
      event = await service.expect(201, 'administrator', '/events', { json })
    }
  })
  after(() => service.close())

  /** Reads twice, so that the second answer comes from the cache, and compares the two. */
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const first = await fetch(`${base}${path}`, { headers })
    const again = await fetch(`${base}${path}`, { headers })
    const text = await first.text()
    assert.equal(await again.text(), text, `${path} from the cache`)
    assert.equal(first.headers.get('etag'), again.headers.get('etag'))
    return { status: first.status, headers: first.headers, text }
  }

  const paths = () => [
    ...['/', '/events?per_page=1&page=2', '/venues', '/organizers', '/categories', '/tags', '/doc'],
    ...['/events?venue=1', '/events/by-slug/concert-10', `/events/${event.id}`, `/venues/${event.venue.id}`],
    ...[`/organizers/${event.organizer[0].id}`, `/categories/${event.categories[0].id}`, `/tags/${event.tags[0].id}`],
  ]

  it('name the mount that the request came by, for every address, and differ in nothing else', async () => {
    for (const path of paths()) {
      for (const prefix of ['', '/fr']) {
        const main = await read(`${prefix}${MAIN}${path}`)
        for (const mount of [WORDPRESS, SHORT]) {
          const mounted = await read(`${prefix}${mount}${path}`)
          assert.equal(mounted.status, main.status)
          const of = (one: string) => `${HOME}${prefix}${one}`
          assert.equal(mounted.text, main.text.replaceAll(of(MAIN), of(mount)), `${prefix}${mount}${path}`)
        }
      }
    }
  })

  it('name it for signed-in readers, and in the headers of a list', async () => {
    const { text, headers } = await read(`${WORDPRESS}/events?per_page=1`, { authorization: basic('editor') })
    const list = JSON.parse(text)
    assert.match(list.rest_url, new RegExp(`^${HOME}${WORDPRESS}/events/`))
    assert.match(list.next_rest_url, new RegExp(`^${HOME}${WORDPRESS}/events/`))
    assert.equal(list.events[0].rest_url, `${HOME}${WORDPRESS}/events/${list.events[0].id}`)
    assert.ok(!text.includes(MAIN))
    assert.ok(!String(headers.get('link')).includes(MAIN))
  })

  it('lead on: the next page by its link is read by the same mount', async () => {
    const seen = []
    for (let path = `${WORDPRESS}/events?per_page=1`; path !== ''; ) {
      const list = JSON.parse((await read(path)).text)
      seen.push(list.events[0].title)
      path = list.next_rest_url ? list.next_rest_url.slice(HOME.length) : ''
    }
    assert.deepEqual(seen, ['Concert 10', 'Concert 11', 'Concert 12'])
  })

  it('name it in the answer to a write and in its Location', async () => {
    const response = await fetch(`${base}${WORDPRESS}/events`, {
      method: 'POST',
      headers: { authorization: basic('editor'), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'New', start_date: '2031-06-20 10:00', end_date: '2031-06-20 11:00' }),
    })
    const made = (await response.json()) as Json
    assert.equal(made.rest_url, `${HOME}${WORDPRESS}/events/${made.id}`)
    assert.equal(response.headers.get('location'), made.rest_url)
    await service.expect(200, 'editor', `/events/${made.id}`, { method: 'DELETE' })
  })

  it('do not make an address of a mount followed by the namespace', async () => {
    await read(`${WORDPRESS}/events`)
    assert.equal((await read(`${WORDPRESS}${MAIN}/events`)).status, 404)
    assert.equal((await read(`${WORDPRESS}${WORDPRESS}/events`)).status, 404)
  })
})
