import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** In how many states every address is seen while others write, and by how many readers at once. */
const STATES = 15
const READERS = 4

describe('an answer while others write', () => {
  let service: Service
  let folder: string
  let now = Date.UTC(2031, 5, 1, 12) / 1000
  let event: Json
  let state = 0
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-moments-'))
    service = await startService({ clock: () => now, folder })
    const terms = { categories: ['Topic 0'], tags: ['Label 0'] }
    const venue = { venue: 'Hall 0', slug: 'hall', geo_lat: 47, geo_lng: 11 }
    const json = { ...act(0), slug: 'one', venue, ...terms, featured: true }
    event = await service.expect(201, 'administrator', '/events', { json })
    await put(`/categories/${event.categories[0].id}`, { slug: 'topic' })
    await put(`/tags/${event.tags[0].id}`, { slug: 'label' })
    const other = { title: 'Other', slug: 'other', venue: event.venue.id, ...terms }
    const dates = { start_date: '2031-07-20 19:00', end_date: '2031-07-20 22:00' }
    await service.expect(201, 'administrator', '/events', { json: { ...other, ...dates } })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  const put = (path: string, json: object) => service.expect(200, 'administrator', path, { method: 'PUT', json })

  /** Everything that an event says names the same state. */
  function act(n: number): object {
    const day = dayOf(n)
    return {
      title: `Act ${n}`,
      description: `This is act ${n}.`,
      website: `https://example.org/act-${n}`,
      start_date: `${day} 19:00`,
      end_date: `${day} 22:00`,
    }
  }

  function dayOf(n: number): string {
    return `2031-07-${String(1 + (n % 19)).padStart(2, '0')}`
  }

  /** Changes one record after the other: a reader finds each in this state, or only the last ones in the state before. */
  async function moveOn(): Promise<void> {
    const n = ++state
    now++
    await put(`/categories/${event.categories[0].id}`, { name: `Topic ${n}` })
    await put(`/tags/${event.tags[0].id}`, { name: `Label ${n}` })
    await put(`/venues/${event.venue.id}`, { venue: `Hall ${n}` })
    await put(`/events/${event.id}`, act(n))
  }

  /** Checks that all that a text names was so at one moment. */
  function isOfOneMoment(text: string, at: string): void {
    const states: number[] = []
    for (const word of ['topic', 'label', 'hall', 'act']) {
      // Lines of iCalendar are folded.
      const unfolded = text.replace(/\r\n[ \t]/g, '')
      const named = new Set([...unfolded.matchAll(new RegExp(`${word}[ -](\\d+)`, 'gi'))].map(([, n]) => Number(n)))
      assert.ok(named.size <= 1, `${at} names ${word} ${[...named]}: ${text}`)
      states.push(...named)
    }
    const [first = 0] = states
    const inOrder = states.toSorted((one, another) => another - one)
    assert.deepEqual(states, inOrder, `${at} names states ${states}: ${text}`)
    assert.ok(first - (states.at(-1) ?? 0) <= 1, `${at} names states ${states}: ${text}`)
  }

  /** Reads addresses over and over while `write` changes what they show; `check` looks at every answer. */
  async function whileWriting(
    urls: readonly string[],
    write: () => Promise<void>,
    check: (body: string, url: string) => void = isOfOneMoment,
  ): Promise<void> {
    let isOver = false
    const seen = new Map(urls.map((url) => [url, new Map<string, string>()]))
    const isSeen = () => [...seen.values()].every(({ size }) => size >= STATES)
    const read = async (reader: number) => {
      for (let n = reader; !isOver && !isSeen(); n++) {
        const url = urls[n % urls.length] ?? ''
        const { statusCode, body, headers } = await service.inject({ url })
        assert.equal(statusCode, 200, `${url}: ${body}`)
        check(body, url)
        const tag = String(headers.etag)
        assert.equal(seen.get(url)?.get(tag) ?? body, body, `two texts of ${url} have the tag ${tag}`)
        seen.get(url)?.set(tag, body)
        // An answer from memory leaves no turn to the writer.
        await setImmediate()
      }
    }
    const writer = async () => {
      while (!isOver) await write()
    }
    const readers = Promise.all(Array.from({ length: READERS }, (_, n) => read(n))).finally(() => {
      isOver = true
    })
    await Promise.all([writer(), readers])
  }

  it('is of one moment in the REST interface', async () => {
    const base = '/calendar/events/v1'
    const lists = [
      'events',
      'events?per_page=3',
      'events?search=act',
      'events?tags=label',
      'venues',
      'categories',
      'tags',
    ]
    const urls = [`events/${event.id}`, 'events/by-slug/one', ...lists].map((path) => `${base}/${path}`)
    await whileWriting(urls, moveOn)
  })

  it('is of one moment as a page', async () => {
    const lists = ['/', '/events/', '/events/?venue=hall&tag=label', '/events/month/2031-07/', '/events/map/']
    await whileWriting([...lists, '/event/one/', '/venue/hall/', '/tag/label/', '/events/category/topic/'], moveOn)
  })

  it('is of one moment as a feed', async () => {
    const feeds = ['/events', '/venue/hall', '/tag/label', '/events/category/topic'].flatMap((path) =>
      FEED_EXTENSIONS.map((extension) => `${path}.${extension}`),
    )
    await whileWriting(feeds, moveOn)
  })

  it('is of one moment as the calendar of a single event', async () => {
    const move = async () => {
      now++
      await put(`/events/${event.id}`, act(++state))
    }
    await whileWriting(['/event/one.ics'], move, (text) => {
      const [, n] = /SUMMARY:Act (\d+)/.exec(text) ?? []
      const unfolded = text.replace(/\r\n[ \t]/g, '')
      const named = new Set([...unfolded.matchAll(/act[ -](\d+)/gi)].map(([, number]) => number))
      assert.deepEqual([...named], [n], text)
      assert.match(text, new RegExp(`DTSTART;TZID=America/New_York:${dayOf(Number(n)).replaceAll('-', '')}T190000`))
      const changes = new Set([...text.matchAll(/^LAST-MODIFIED:(\S+)/gm)].map(([, at]) => at))
      assert.equal(changes.size, 1, `changed at ${[...changes]}: ${text}`)
    })
  })

  it('has as many events as it counts', async () => {
    const move = async () => {
      now++
      const json = { ...act(++state), tags: ['Counted'] }
      const { id } = await service.expect(201, 'administrator', '/events', { json })
      await service.expect(200, 'administrator', `/events/${id}?force=true`, { method: 'DELETE' })
    }
    const sizes = [45, 46, 47, 48, 49, 50].map((size) => `/calendar/events/v1/events?search=act&per_page=${size}`)
    await whileWriting([...sizes, '/calendar/events/v1/events?per_page=50'], move, (body) => {
      const { events, total } = JSON.parse(body)
      assert.equal(events.length, total, body.slice(-300))
      // A tag is counted along with the events that have it.
      const tagged = events.flatMap(({ tags }: Json) => tags.filter(({ name }: Json) => name === 'Counted'))
      for (const { count } of tagged) assert.equal(count, tagged.length, 'events that have the tag')
    })
  })

  it('is of one moment as a part of the sitemap', async () => {
    const move = async () => {
      const n = ++state
      await put(`/categories/${event.categories[0].id}`, { slug: `topic-${n}` })
      await put(`/tags/${event.tags[0].id}`, { slug: `label-${n}` })
    }
    await move()
    await whileWriting(['/sitemap/calendar.xml'], move)
  })
})
