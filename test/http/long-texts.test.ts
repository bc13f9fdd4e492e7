import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const EVENT = { title: 'E', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' }

/** A text of as many characters as a description may have, or a little less. */
const long = (piece: string, length = 99_900) => piece.repeat(Math.floor(length / piece.length))

describe('long texts', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const short = async (what: string, work: () => Promise<unknown>) => {
    const hold = await longestHold(work)
    assert.ok(hold <= LONGEST_HOLD, `${what} kept others waiting for ${hold} ms`)
  }

  it('are refused if elements lie too deep, at once and in words', async () => {
    for (const piece of ['<dl></dt>', '<b>', '<div></p>', '<svg>']) {
      const json = { ...EVENT, description: long(piece), excerpt: long(piece) }
      await short(piece, async () => {
        const { data } = await service.expect(400, 'contributor', '/events', { json })
        assert.deepEqual(Object.keys(data.params), ['description', 'excerpt'])
        assert.match(data.params.description, /too many elements inside each other/)
      })
    }
  })

  it('are refused if their marks make one pile, also behind tags and entities', async () => {
    for (const piece of ['&#769;&#790;', `${'\u0301\u0316'.repeat(15)}<b></b>`]) {
      const json = { ...EVENT, description: long(piece) }
      await short(piece, async () => {
        const { data } = await service.expect(400, 'contributor', '/events', { json })
        assert.deepEqual(Object.keys(data.params), ['description'])
      })
    }
  })

  it('keep nobody waiting, however many a request has', async () => {
    for (const piece of some(['<img src=x>', '<a href=x>', '<b></b>', '<br>', '</p>'], 2)) {
      const description = long(piece)
      const parts = (kind: string, count: number) =>
        Array.from({ length: count }, (_, n) => ({ [kind]: `${piece} ${kind} ${n}`, description }))
      const json = {
        ...EVENT,
        description,
        excerpt: description,
        venue: parts('venue', 4),
        organizer: parts('organizer', 3),
      }
      await short(`eight of ${piece}`, () => service.expect(201, 'editor', '/events', { json }))
    }
    const text = long('<', 1990)
    const details = { address: text, city: text, country: text, province: text, state: text, zip: text, phone: text }
    const venue = Array.from({ length: 50 }, (_, n) => ({ venue: `Hall ${n}`, ...details }))
    await short('fifty venues', () => service.expect(201, 'editor', '/events', { json: { ...EVENT, venue } }))
  })

  it('of lists keep nobody waiting', async () => {
    for (const json of [
      { venue: Array.from({ length: 200_000 }, () => ({})) },
      { venue: '1,'.repeat(450_000) },
      { tags: ','.repeat(900_000) },
      { categories: Array.from({ length: 140_000 }, (_, n) => n) },
    ]) {
      const [name = ''] = Object.keys(json)
      await short(`a long list in ${name}`, async () => {
        const { data } = await service.expect(400, 'editor', '/events', { json: { ...EVENT, ...json } })
        // A body with too many values is refused as a whole.
        if (typeof json[name as keyof typeof json] === 'string') assert.deepEqual(Object.keys(data.params), [name])
      })
    }
  })

  it('are the same when they are read ahead as when they are not', async () => {
    const html = (length: number) => `<p onclick="x">${'é&amp;<b>word</b> '.repeat(length)}<script>x</script>`
    const [few, many] = await Promise.all(
      [1, 500].map((length) =>
        service.expect(201, 'editor', '/venues', { json: { venue: `V${length}`, description: html(length) } }),
      ),
    )
    const body = ({ description }: Json) => description.replace(/^<p>|<\/p>$/g, '').trim()
    assert.equal(body(many), Array.from({ length: 500 }, () => body(few)).join(' '))
  })

  const kinds: [string, string, object][] = [
    ['/events', 'title', EVENT],
    ['/venues', 'venue', {}],
    ['/organizers', 'organizer', {}],
    ['/categories', 'name', {}],
    ['/tags', 'name', {}],
  ]
  for (const [path, name, fields] of kinds) {
    it(`of ${path} are shown on a page, and as JSON, without keeping others waiting`, async () => {
      const pieces = ['<b class="c">x</b>', '<', '&', '<br>', 'a\n', '<p>', 'x', '&amp;<h1>']
      for (const [n, piece] of some(pieces, 1).entries()) {
        const description = `${long(piece)}<img src="https://elsewhere.example/x.png">`
        const json = { ...fields, [name]: `${path} ${n}`, description: description.slice(0, 100_000) }
        const { id, url } = await service.expect(201, 'editor', path, { json })
        const pathname = new URL(url).pathname
        let asked = 0
        // Another address each time, as what was answered is kept.
        await short(`the page of ${piece}`, async () => {
          assert.equal((await service.inject({ url: `${pathname}?search=${asked++}` })).statusCode, 200)
        })
        await short(`the record of ${piece}`, () => service.expect(200, 'editor', `${path}/${id}`))
      }
    })
  }
})
