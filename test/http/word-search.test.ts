import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const NAMES = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

describe('a search by words', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
  })
  after(() => service.close())

  const create = async (json: object, role: Role = 'editor'): Promise<Json> =>
    service.expect(201, role, '/events', { json: { ...NAMES, ...json } })
  const search = async (words: string, role: Role | null = null, query: object = {}): Promise<Json> =>
    service.expect(200, role, '/events', {
      query: { start_date: '2031-01-01', end_date: '2032-12-31', search: words, search_mode: 'words', ...query },
    })
  const found = async (words: string, role: Role | null = null): Promise<string[]> =>
    (await search(words, role)).events.map(({ title }: Json) => title)

  it('finds all words, in any order and any field', async () => {
    await create({
      title: 'Harbour Concert',
      description: '<p>Brass and <b>strings</b></p>',
      excerpt: '<p>By candle&shy;light &amp; moonshine</p>',
      venue: { venue: 'Old Warehouse', city: 'Marseille' },
      organizer: { organizer: 'Guild of Sailors' },
      categories: ['Chamber Music'],
      tags: ['Windy'],
    })
    for (const words of [
      'concert harbour',
      'strings',
      'moonshine',
      'candlelight',
      'warehouse',
      'marseille old',
      'sailors guild',
      'chamber',
      'windy',
      'windy harbour sailors marseille brass chamber moonshine',
      'WAREH con mars',
    ])
      assert.deepEqual(await found(words), ['Harbour Concert'], words)
    for (const words of ['harbour opera', 'arbour', 'shy', 'amp', 'ncert', '???', 'b'.repeat(70)])
      assert.deepEqual(await found(words), [], words)
  })

  it('does not mind case and accents, as slugs do not', async () => {
    const title = 'Café Łódź: Straße, Smørrebrød und Æther im Œuvre, Καφές, Ёлка'
    await create({ title })
    for (const words of [
      'cafe',
      'CAFÉ',
      'lodz',
      'strasse',
      'STRASSE',
      'straße',
      'smorrebrod',
      'aether',
      'œuvre oeuv',
      'καφες',
      'ΚΑΦΈΣ',
    ])
      assert.deepEqual(await found(words), [title], words)
    await create({ title: 'Strasse am Cafe' })
    assert.deepEqual((await found('straße café')).sort(), [title, 'Strasse am Cafe'].sort())
  })

  it('finds any part of a text in a script without spaces', async () => {
    await create({ title: '東京都美術館の特別展', description: 'งานดนตรีแจ๊สริมแม่น้ำ 🎷🎺' })
    for (const words of ['京', '美術', '美術館の特別', '特別展', '東京 美術館', 'ดนตรี', 'ริมแม่น้ำ', '🎷', '🎺'])
      assert.deepEqual(await found(words), ['東京都美術館の特別展'], words)
    for (const words of ['美館', '展特', '🎻']) assert.deepEqual(await found(words), [], words)
  })

  it('lists events with all words in the title first, each group by start, page by page', async () => {
    for (let n = 0; n < 12; n++) {
      const day = `2031-07-${String(10 + n)}`
      const named = n % 2 === 0
      await create({
        title: named ? `Lantern parade ${n}` : `Evening ${n}`,
        description: 'A parade of lanterns',
        start_date: day,
        end_date: day,
      })
    }
    const expected = [0, 2, 4, 6, 8, 10]
      .map((n) => `Lantern parade ${n}`)
      .concat([1, 3, 5, 7, 9, 11].map((n) => `Evening ${n}`))
    const pages: string[] = []
    for (let page = 1; page <= 3; page++) {
      const answer = await search('parade lant', null, { page, per_page: 5 })
      assert.deepEqual([answer.total, answer.total_pages], [12, 3])
      pages.push(...answer.events.map(({ title }: Json) => title))
    }
    assert.deepEqual(pages, expected)
    assert.deepEqual(await found('parade lant', 'editor'), expected.slice(0, 10))
  })

  it('follows every change of texts and names', async () => {
    const event = await create({
      title: 'Wanderer',
      venue: { venue: 'Kornhaus', city: 'Ulm' },
      organizer: { organizer: 'Albverein' },
      tags: ['Hiking'],
    })
    const change = (path: string, json: object) => service.expect(200, 'administrator', path, { method: 'PUT', json })
    await change(`/venues/${event.venue.id}`, { venue: 'Schwörhaus', city: 'Neu-Ulm' })
    await change(`/organizers/${event.organizer[0].id}`, { organizer: 'Wanderbund' })
    await change(`/tags/${event.tags[0].id}`, { name: 'Trekking' })
    for (const words of ['kornhaus', 'albverein', 'hiking']) assert.deepEqual(await found(words), [], words)
    for (const words of ['schworhaus neu', 'wanderbund', 'trekking']) assert.deepEqual(await found(words), ['Wanderer'])
    await change(`/events/${event.id}`, { title: 'Bergsteiger', excerpt: 'Gipfelglück' })
    assert.deepEqual(await found('wanderer'), [])
    assert.deepEqual(await found('bergsteiger gipfelgluck'), ['Bergsteiger'])
    await service.expect(200, 'administrator', `/tags/${event.tags[0].id}`, { method: 'DELETE' })
    assert.deepEqual(await found('trekking'), [])
    await service.expect(200, 'administrator', `/events/${event.id}?force=true`, { method: 'DELETE' })
    assert.deepEqual(await found('bergsteiger'), [])
  })

  it('finds nothing by what the reader may not see', async () => {
    const hidden = await create({
      title: 'Masquerade',
      description: 'Zanzibar',
      excerpt: 'Quicksilver',
      tags: ['Vermilion'],
      venue: { venue: 'Obsidian Hall' },
      password: 'sesame',
    })
    assert.deepEqual(await found('masquer'), ['Masquerade'])
    for (const words of ['zanzibar', 'quicksilver', 'vermilion', 'obsidian', 'masquerade zanzibar']) {
      assert.deepEqual(await found(words), [], words)
      assert.deepEqual(await found(words, 'editor'), ['Masquerade'], words)
    }
    await create({ title: 'Unpublished', description: 'Zirconium', status: 'draft' })
    assert.deepEqual(await found('zirconium'), [])
    assert.deepEqual(await found('zirconium', 'editor'), ['Unpublished'])
    const open = await create({ title: 'Open', venue: { venue: 'Topaz House' } })
    assert.deepEqual(await found('topaz'), ['Open'])
    await service.expect(200, 'administrator', `/venues/${open.venue.id}`, { method: 'PUT', json: { status: 'draft' } })
    assert.deepEqual(await found('topaz'), [])
    assert.deepEqual(await found('topaz', 'editor'), ['Open'])
    assert.ok(hidden.id > 0)
  })

  it('leaves a search without that mode as it was', async () => {
    await create({ title: 'Substring matters' })
    const answer = await service.expect(200, null, '/events', {
      query: { start_date: '2031-01-01', search: 'bstring mat' },
    })
    assert.equal(answer.total, 1)
    const refused = await service.call(null, '/events?search=a&search_mode=other')
    assert.equal(refused.statusCode, 400)
  })

  it('filters feeds, in order of start', async () => {
    const feed = await service.inject({ url: '/events.json?search=parade%20lant&search_mode=words' })
    const titles = feed.json().items.map(({ title }: Json) => title)
    assert.deepEqual(titles.slice(0, 3), ['Lantern parade 0', 'Evening 1', 'Lantern parade 2'])
    assert.equal(titles.length, 12)
    const calendar = await service.inject({ url: '/events.ics?search=evening%20lant&search_mode=words' })
    assert.equal(calendar.body.match(/^SUMMARY/gm)?.length, 6)
  })
})
