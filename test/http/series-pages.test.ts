import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const CLOCK = Date.UTC(2031, 5, 20, 12) / 1000

describe('pages of series', () => {
  let service: Service
  let first: Json
  before(async () => {
    service = await startService({ clock: () => CLOCK, settings: { timezone: 'Europe/Paris', rateLimit: '0' } })
    first = await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Rhyme time',
        start_date: '2031-06-10 10:00',
        end_date: '2031-06-10 11:30',
        categories: ['Children'],
        recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=30',
      },
    })
    await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Boat trip',
        start_date: '2031-06-25 10:00',
        end_date: '2031-06-25 11:30',
        categories: ['Children'],
      },
    })
  })
  after(() => service.close())

  const page = async (url: string, language = 'en') => {
    const answer = await service.inject({ url, headers: { 'accept-language': language, accept: 'text/html' } })
    assert.equal(answer.statusCode, 200, url)
    return answer.body.replaceAll('&amp;', '&')
  }
  const slug = (day: string) => `/event/${first.slug}-${day}/`
  const titles = (body: string) => [...body.matchAll(/<h4><a [^>]*>([^<]*)<\/a>/g)].map(([, title]) => title)

  it('say the rule of an event and its next dates, with a link to all', async () => {
    const body = await page(slug('2031-06-24'))
    assert.match(body, /<p class="recurrence">.*Every Tuesday, 30 times.*href="\/events\/\?series=\d+">All dates/)
    const dates = /id="related-dates".*?<\/section>/s.exec(body)?.[0] ?? ''
    const shown = [...dates.matchAll(/<time datetime="([^"T]*)/g)].map(([, day]) => day)
    assert.deepEqual(shown.slice(0, 2), ['2031-07-01', '2031-07-08'])
    assert.equal(shown.length, 12)
    assert.match(dates, new RegExp(`/events/\\?series=${first.id}`))
    assert.match(body, /2031-06-24\.ics\?scope=all">All dates/)
    assert.match(await page(slug('2031-06-24'), 'de'), /Jeden Dienstag, 30-mal.*Alle Termine/)
    assert.doesNotMatch(await page('/event/boat-trip/'), /class="recurrence"/)
  })

  it('lead from a date that is over to the next one', async () => {
    const over = await page(`/event/${first.slug}/`)
    assert.match(
      over,
      new RegExp(`This event is over\\. <a href="${slug('2031-06-24')}">Next date: Tue[^<]*24[^<]*10:00`),
    )
    assert.doesNotMatch(await page(slug('2031-06-24')), /Next date/)
  })

  it('list all dates of a series, past ones first', async () => {
    const body = await page(`/events/?series=${first.id}`)
    assert.match(body, /<h1[^>]*>All dates: Rhyme time<\/h1>/)
    assert.match(body, /Every Tuesday, 30 times/)
    assert.equal(titles(body).length, 20)
    assert.match(body, /datetime="2031-06-10"/)
    assert.match(body, new RegExp(`href="/events/\\?series=${first.id}&page=2"`))
    assert.equal(titles(await page(`/events/?series=${first.id}&page=2`)).length, 10)
    for (const wrong of ['999999', 'x', '-1']) {
      const answer = await service.inject({ url: `/events/?series=${wrong}`, headers: { accept: 'text/html' } })
      assert.equal(answer.statusCode, 400, wrong)
    }
  })

  it('list each series once, keep that in links, and lead back', async () => {
    const all = await page('/events/')
    assert.match(all, /href="\/events\/\?collapse=series"/)
    assert.ok(titles(all).length > 10)
    const body = await page('/events/?collapse=series')
    assert.deepEqual(titles(body), ['Rhyme time', 'Boat trip'])
    assert.match(body, /datetime="2031-06-24"/)
    assert.match(body, /name="collapse" value="series" checked/)
    assert.match(body, /href="\/events\/month\/\?collapse=series"/)
    assert.match(body, /events\.ics\?collapse=series/)
    assert.match(body, /href="\/events\/" aria-current="true">Each series once/)
    assert.deepEqual(titles(await page('/events/category/children/?collapse=series')), ['Rhyme time', 'Boat trip'])
    const answer = await service.inject({ url: '/events/?collapse=all', headers: { accept: 'text/html' } })
    assert.equal(answer.statusCode, 400)
  })

  it('have feeds of a series, and of each series once', async () => {
    const feed = async (search: string) => {
      const answer = await service.inject({ url: `/events.rss?${search}` })
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.body.match(/<item>/g)?.length ?? 0
    }
    assert.equal(await feed('collapse=series'), 2)
    assert.equal(await feed(`series=${first.id}`), 30)
  })

  it('mark what recurs in lists, months and weeks', async () => {
    for (const [url, count] of [
      ['/events/?end_date=2031-06-30', 1],
      ['/events/week/2031-06-24/', 1],
      ['/events/day/2031-06-24/', 1],
    ] as const)
      assert.equal(
        (await page(url)).match(/<span class="recurs" role="img" aria-label="recurring">/g)?.length,
        count,
        url,
      )
    const month = await page('/events/month/2031-07/')
    assert.ok((month.match(/class="recurs"/g)?.length ?? 0) >= 5)
    assert.match(await page('/events/week/2031-06-24/', 'fr'), /aria-label="se répète"/)
  })
})
