import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

describe('the page of an event', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { timezone: 'America/New_York' } })
  })
  after(() => service.close())

  let made = 0
  /** Creates an event and answers the main part of its page. */
  async function pageOf(fields: object, language = 'en'): Promise<string> {
    const slug = `event-${++made}`
    const json = { title: 'A Title', slug, start_date: '2031-06-12 19:00', end_date: '2031-06-12 22:00', ...fields }
    await service.expect(201, 'editor', '/events', { json })
    return mainOf(`/event/${slug}/`, language)
  }
  async function mainOf(url: string, language = 'en'): Promise<string> {
    const { body } = await service.inject({ url, headers: { accept: 'text/html', 'accept-language': language } })
    return body.slice(body.indexOf('<main'), body.indexOf('</main>'))
  }
  const firstButton = (main: string) =>
    /<(?:a|button|summary)[^>]*class="button[^>]*>.*?<\/(?:a|button|summary)>/s.exec(main)?.[0] ?? ''
  const placed = { venue: 'Pier & Hall', geo_lat: 40.7, geo_lng: -74.01 }

  it('names the date once, with the time', async () => {
    const main = await pageOf({})
    assert.equal(main.match(/12 June 2031|June 12, 2031/g)?.length, 1)
    assert.match(
      main,
      /<p class="lead-date"><time datetime="2031-06-12T19:00:00-04:00">Thursday, June 12, 2031<\/time> <span>7:00\sPM – 10:00\sPM EDT<\/span>/,
    )
  })

  it('has “Get tickets” as its first button if a ticket with an address is on sale', async () => {
    const main = await pageOf({
      tickets: [
        { name: 'Early', url: 'https://t.example.org/early', available_until: '2031-06-01' },
        { name: 'Door' },
        { name: 'Seat', url: 'https://t.example.org/seat' },
      ],
    })
    assert.match(firstButton(main), /href="https:\/\/t\.example\.org\/seat".*Get tickets/s)
    assert.match(main, /Add to calendar/)
    for (const tickets of [
      [{ name: 'Door' }],
      [{ name: 'Late', url: 'https://t.example.org/', available_from: '2031-06-11' }],
    ]) {
      const without = await pageOf({ tickets })
      assert.doesNotMatch(without, /Get tickets/)
      assert.match(firstButton(without), /Add to calendar/)
    }
  })

  it('has neither tickets to get nor a calendar to add to when it is past', async () => {
    const main = await pageOf({
      start_date: '2031-06-09 19:00',
      end_date: '2031-06-09 22:00',
      tickets: [{ name: 'Seat', url: 'https://t.example.org/seat' }],
    })
    assert.doesNotMatch(main, /Get tickets|Add to calendar|\.ics|calendar\.google|outlook|href="https:\/\/t\.example/)
    assert.match(main, /This event is over\./)
  })

  it('shows a small map that is named after the venue, unless the venue says otherwise', async () => {
    const map = /<svg class="map"[^>]* role="img" aria-label="Pier &amp; Hall">.*?<\/svg>/s
    const main = await pageOf({ venue: placed })
    const [drawn = ''] = map.exec(main) ?? []
    assert.match(drawn, /<path class="land" d="M/)
    assert.match(drawn, />10 km<|>20 km</)
    assert.match(drawn, />Newark<|>New York</)
    assert.match(await mainOf('/venue/pier-hall/'), map)
    assert.doesNotMatch(
      await pageOf({ venue: { ...placed, venue: 'Hidden Pier', show_map: false } }),
      /<svg class="map"/,
    )
    assert.doesNotMatch(await mainOf('/venue/hidden-pier/'), /<svg class="map"/)
    assert.doesNotMatch(await pageOf({ venue: { venue: 'Somewhere' } }), /<svg class="map"/)
  })

  it('shows an excerpt that repeats the first paragraph once', async () => {
    const text = 'An evening of songs &amp; stories'
    const description = `<p>An <em>evening</em> of songs &amp; stories</p><p>Doors open at six.</p>`
    for (const excerpt of [text, `<p>${text}</p>`, 'An evening of songs …', 'An evening [&hellip;]'])
      assert.doesNotMatch(await pageOf({ excerpt, description }), /class="lead"/, excerpt)
    assert.match(await pageOf({ excerpt: 'Songs.', description }), /<div class="lead"><p>Songs\.<\/p>/)
    assert.match(await pageOf({ excerpt: text }), /class="lead"/)
  })

  it('has a drawing by category where there is neither image nor text', async () => {
    const drawing = (main: string) => /<div class="picture drawn">(.*?)<\/div>/s.exec(main)?.[1] ?? ''
    const drawings = new Set<string>()
    for (const categories of [[], ['One'], ['Two'], ['Three']]) {
      const found = drawing(await pageOf({ categories }))
      assert.match(found, /<svg class="art"[^>]*aria-hidden="true">/)
      drawings.add(found)
    }
    assert.ok(drawings.size >= 3)
  })

  it('gives cards without an image a drawing', async () => {
    const main = await pageOf({ categories: ['One'] })
    const [card = ''] = /<li class="card .*?<\/li>/s.exec(main) ?? []
    assert.match(card, /<div class="frame"><svg class="art"/)
  })
})
