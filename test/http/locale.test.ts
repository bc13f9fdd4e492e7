import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Spaces that Intl writes are of several kinds. */
const plain = (text: string) => text.replace(/[\u202f\u00a0\u2009]/g, ' ')

describe('pages by the rules of their language', () => {
  let service: Service
  const get = async (url: string, of: Service = service) => {
    const { body, statusCode } = await of.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(statusCode, 200, url)
    return plain(body)
  }
  const add = (title: string, more: object = {}, of: Service = service): Promise<Json> =>
    of.expect(201, 'editor', '/events', {
      json: { title, slug: title, start_date: '2031-06-12 19:00', end_date: '2031-06-12 21:30', ...more },
    })
  before(async () => {
    service = await startService({ clock, settings: { currency: '€', siteName: 'Port Lorcan', timezone: 'UTC' } })
    await add('concert', {
      cost: '10 - 24',
      tickets: [
        { name: 'Seat', price: '24', currency: 'EUR' },
        { name: 'Door', price: '12.50' },
      ],
    })
    for (let n = 0; n < 5; n++) await add(`more-${n}`, { start_date: '2031-06-20 10:00', end_date: '2031-06-20 11:00' })
    await add('أمسية شعرية', { slug: 'poetry', categories: ['شعر'] })
  })
  after(() => service.close())

  it('write amounts in one form', async () => {
    const amounts = async (language: string) => {
      const body = await get(`/${language}/event/concert/`)
      const [panel = ''] = /<aside class="panel".*?<\/aside>/s.exec(body) ?? []
      return [...panel.matchAll(/>([^<>]*€[^<>]*)</g)].map(([, amount]) => amount)
    }
    assert.deepEqual(await amounts('en'), ['€10 – €24', '€24', '€12.50'])
    assert.deepEqual(await amounts('fr'), ['10–24 €', '24 €', '12,50 €'])
    assert.deepEqual(await amounts('de'), ['10–24 €', '24 €', '12,50 €'])
    assert.match(await get('/fr/events/'), /10–24 €/)
  })

  it('leave words around an amount, and say what is free', async () => {
    const shown = async (cost: string, language = 'fr') => {
      const { slug } = await add(`cost-${Math.random()}`, { cost })
      return /class="icon"[^>]*><path d="M3 8a2[^>]*><\/svg><span dir="auto">([^<]*)/.exec(
        await get(`/${language}/event/${slug}/`),
      )?.[1]
    }
    assert.equal(await shown('0'), 'Gratuit')
    assert.equal(await shown('0 - 5'), 'Gratuit – 5 €')
    assert.equal(await shown('from 10 € a head'), 'from 10 € a head')
    assert.equal(await shown('CHF 1200'), '1 200 CHF')
    assert.equal(await shown('$ 15', 'en'), '$15')
    assert.equal(await shown('by donation'), 'by donation')
  })

  it('have the plural of the language', async () => {
    const more = async (language: string) =>
      /data-more="([^"]*)" id="day-2031-06-20"/.exec(await get(`/${language}/events/month/2031-06/`))?.[1]
    assert.equal(await more('fr'), '+1 autre')
    assert.equal(await more('en'), '+1 more')
  })

  it('begin headings with a capital', async () => {
    assert.match(await get('/fr/events/month/2031-06/'), /<h1[^>]*>Juin 2031<\/h1>/)
    assert.match(await get('/es/events/month/2031-06/'), /<h1[^>]*>Junio de 2031<\/h1>/)
    assert.match(await get('/fr/events/day/2031-06-12/'), /<h1[^>]*>Jeudi 12 juin 2031<\/h1>/)
    assert.match(await get('/fr/event/concert/'), /<p class="lead-date"><time[^>]*>Jeudi 12 juin 2031</)
  })

  it('name feeds after the site', async () => {
    for (const url of ['/', '/events/', '/event/concert/'])
      assert.match(await get(url), /<link rel="alternate" type="text\/calendar" title="Port Lorcan · iCalendar"/)
    assert.match(await get('/events.rss'), /<title>Port Lorcan<\/title>/)
  })

  it('put the category and date of an Arabic event where its title begins', async () => {
    assert.match(await get('/event/poetry/'), /<div class="heading" dir="rtl">/)
    assert.match(await get('/events/'), /<li class="event [^"]*" dir="rtl">/)
    assert.doesNotMatch(await get('/event/concert/'), /<div class="heading" dir/)
  })

  it('keep the two dates of an Arabic event in order, and its cards of a week and of several days in its direction', async () => {
    const title = 'مهرجان الموسيقى'
    for (const [slug, end_date] of [
      ['festival', '2031-09-04 22:00'],
      ['fair', '2031-09-02 22:00'],
    ])
      await service.expect(201, 'editor', '/events', {
        json: { title, slug, start_date: '2031-09-02 18:00', end_date },
      })
    // The dash lies between two pieces of text that are written from left to right.
    assert.match(await get('/event/festival/'), /<time[^>]*>Tue[^<–]*<\/time> – <span>Thu/)
    const week = await get('/events/week/2031-09-02/')
    assert.match(week, /<li class="plain" dir="rtl"><p class="when"><time[^>]*>[^<]+<\/time>/)
    assert.match(week, /<li class="plain" dir="rtl"[^>]*><a href="\/event\/festival\/"/)
  })

  describe('with a clock and a week of the site', () => {
    const times = async (of: Service, language: string) =>
      /<p class="lead-date">.*?<span>([^<]*)<\/span>/.exec(await get(`/${language}/event/concert/`, of))?.[1]
    const firstDay = async (of: Service, language: string) => {
      const body = await get(`/${language}/events/week/2031-06-12/`, of)
      return /id="day-([\d-]+)"/.exec(body)?.[1]
    }
    const withSettings = async (settings: object, run: (of: Service) => Promise<void>) => {
      const of = await startService({ clock, settings: { timezone: 'UTC', ...settings } })
      try {
        await add('concert', {}, of)
        await run(of)
      } finally {
        await of.close()
      }
    }

    it('follow the language without them', async () => {
      for (const language of ['en', 'fr', 'de', 'es']) {
        assert.equal(await times(service, language), '19:00 – 21:30 UTC', language)
        assert.equal(await firstDay(service, language), '2031-06-09', language)
      }
      await withSettings({ timezone: 'America/New_York' }, async (of) => {
        assert.equal(await times(of, 'en'), '7:00 PM – 9:30 PM EDT')
        assert.equal(await times(of, 'fr'), '19:00 – 21:30 EDT')
        assert.equal(await firstDay(of, 'en'), '2031-06-08')
        assert.equal(await firstDay(of, 'fr'), '2031-06-09')
      })
    })

    it('follow them in every language, and so do “your time” and the widget', async () => {
      await withSettings({ clock: '12', weekStart: 'Saturday' }, async (of) => {
        for (const language of ['en', 'fr', 'de', 'es']) {
          assert.match((await times(of, language)) ?? '', /^7:00 [ap]\.? ?m\.? – 9:30 [ap]\.? ?m\.? UTC$/i, language)
          assert.equal(await firstDay(of, language), '2031-06-07', language)
        }
        assert.match(await get('/fr/event/concert/', of), /data-locale="fr-u-fw-sat-hc-h12"/)
        assert.match((await of.inject({ url: '/embed.js' })).body, /"fw-sat-hc-h12"/)
      })
      await withSettings({ clock: '24', weekStart: 'monday', timezone: 'America/New_York' }, async (of) => {
        assert.equal(await times(of, 'en'), '19:00 – 21:30 EDT')
        assert.equal(await firstDay(of, 'en'), '2031-06-09')
      })
    })

    it('are refused if they are not a clock and a day', async () => {
      await assert.rejects(startService({ settings: { clock: '13' } }), /--clock must be 12 or 24/)
      await assert.rejects(startService({ settings: { weekStart: 'someday' } }), /--week-start must be one of monday/)
    })
  })
})
