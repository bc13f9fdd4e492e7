import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

describe('the small month of the start page', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock })
    const add = (title: string, start_date: string, end_date: string, more: object = {}) =>
      service.expect(201, 'editor', '/events', { json: { title, start_date, end_date, ...more } })
    await add('Concert', '2031-06-12 19:00', '2031-06-12 22:00')
    await add('Festival', '2031-06-20', '2031-06-22', { all_day: true })
    await add('Night', '2031-06-25 22:00', '2031-06-26 03:00')
    await add('Until midnight', '2031-06-28 20:00', '2031-06-29 00:00')
    await add('Exhibition', '2031-07-05', '2031-09-30', { all_day: true })
    await add('Over the turn', '2031-07-30', '2031-08-02', { all_day: true })
    await add('Draft', '2031-06-17', '2031-06-17', { status: 'draft' })
  })
  after(() => service.close())

  const get = (url: string) => service.inject({ url, headers: { accept: 'text/html' } })
  const month = async (url: string) => {
    const { body, statusCode } = await get(url)
    assert.equal(statusCode, 200, url)
    return /<nav class="small-month".*?<\/nav>/s.exec(body)?.[0] ?? ''
  }
  const days = async (url: string) =>
    [...(await month(url)).matchAll(/href="\/events\/day\/([\d-]+)\/"/g)].map(([, day = '']) => day.slice(5))

  it('links days with events, and no others', async () => {
    assert.deepEqual(await days('/'), ['06-12', '06-20', '06-21', '06-22', '06-25', '06-28'])
    assert.match(await month('/'), /<span class="today" aria-current="date">10</)
  })

  it('turns to other months by its address', async () => {
    assert.deepEqual(await days('/?month=2031-07'), ['07-05', '07-30', '07-31'])
    assert.deepEqual(await days('/?month=2031-08'), ['08-01', '08-02'])
    assert.deepEqual(await days('/?month=2031-09'), [])
    const turned = await month('/?month=2031-07')
    assert.match(turned, />July 2031</)
    assert.match(turned, /href="\/\?month=2031-06#small-month"/)
    assert.match(turned, /href="\/\?month=2031-08#small-month"/)
    assert.match((await get('/?month=2031-07')).body, /content="noindex"/)
  })

  it('refuses what is no month, and comes to an end', async () => {
    for (const given of ['x', '2031-13', '2031', '2031-06-12'])
      assert.equal((await get(`/?month=${given}`)).statusCode, 400, given)
    assert.equal((await get('/?month=2300-01')).statusCode, 404)
    assert.doesNotMatch(await month('/?month=2041-12'), /month=2042/)
    assert.doesNotMatch(await month('/?month=2011-01'), /month=2010/)
  })
})
