import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

/** Noon of 1 June 2031. */
const NOW = Date.UTC(2031, 5, 1, 12) / 1000

describe('a list with a start and no end', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock: () => NOW })
    for (const start of [
      '2009-05-05',
      '2012-05-05',
      '2031-06-02',
      '2033-05-31',
      '2033-07-01',
      '2036-01-01',
      '2036-08-01',
    ])
      await service.expect(201, 'editor', '/events', {
        json: { title: start, start_date: `${start} 10:00`, end_date: `${start} 11:00` },
      })
  })
  after(() => service.close())

  const titles = async (start_date: string) => {
    const { events } = await service.expect(200, null, '/events', { query: { start_date } })
    return events.map(({ title }: { title: string }) => title)
  }

  it('ends two years from today if it begins in the past', async () => {
    assert.deepEqual(await titles('2010-01-01'), ['2012-05-05', '2031-06-02', '2033-05-31'])
    assert.deepEqual(await titles('2031-05-31'), ['2031-06-02', '2033-05-31'])
  })

  it('ends two years after its start if it begins in the future', async () => {
    assert.deepEqual(await titles('2033-06-15'), ['2033-07-01'])
    assert.deepEqual(await titles('2034-07-01'), ['2036-01-01'])
  })

  it('has links that keep its end', async () => {
    const { next_rest_url } = await service.expect(200, null, '/events', {
      query: { start_date: '2010-01-01', per_page: 1 },
    })
    assert.match(decodeURIComponent(next_rest_url), /end_date=2033-06-01 23:59:59|end_date=2033-06-01\+23:59:59/)
  })
})
