import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

/** Events of one day of a week. */
const BUSY = 40

describe('long events and busy weeks', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock })
    const add = (title: string, start_date: string, end_date: string, more: object = {}) =>
      service.expect(201, 'editor', '/events', { json: { title, start_date, end_date, ...more } })
    // June 2031 begins on a Sunday and ends on a Monday: its grid has days of July.
    await add('Until May', '2031-05-01', '2031-05-31', { all_day: true })
    await add('In July', '2031-07-02', '2031-07-30', { all_day: true })
    await add('Into June', '2031-05-01', '2031-06-01', { all_day: true })
    await add('From June', '2031-06-30', '2031-08-01', { all_day: true })
    for (let n = 0; n < BUSY; n++)
      await add(`Busy ${n}`, `2031-08-13 ${String(8 + (n % 12)).padStart(2, '0')}:00`, '2031-08-13 21:00')
  })
  after(() => service.close())

  const get = async (url: string) => (await service.inject({ url, headers: { accept: 'text/html' } })).body

  it('are above a month only if they touch it', async () => {
    const [strip = ''] = /<section class="running".*?<\/section>/s.exec(await get('/events/month/2031-06/')) ?? []
    assert.match(strip, /Into June/)
    assert.match(strip, /From June/)
    assert.doesNotMatch(strip, /Until May|In July/)
  })

  it('are open to the first few of a day, and the rest opens in place', async () => {
    const week = await get('/events/week/2031-08-13/')
    const [, open = '', rest = ''] = /id="day-2031-08-13"(.*?)<details>(.*?)<\/details>/s.exec(week) ?? []
    const count = (text: string) => text.match(/Busy \d+</g)?.length
    assert.equal(count(open), 6)
    assert.equal(count(rest), BUSY - 6)
    assert.match(rest, /<summary class="more">Show 34 more<\/summary>/)
    assert.match(week, /<nav class="jumps".*href="#day-2031-08-13".*40 events.*<\/nav>/s)
  })
})
