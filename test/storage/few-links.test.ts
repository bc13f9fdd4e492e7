import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { filterOf, readListParameters } from '../../src/domain/event-filter.ts'
import { hasFewLinks } from '../../src/storage/event-filter.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const CLOCK = () => Date.UTC(2031, 5, 1, 12) / 1000

describe('a list by a link that is read in the main thread', { skip: ON_POSTGRES }, () => {
  let service: Service
  before(async () => {
    service = await startService({ clock: CLOCK })
    const add = (json: object) => service.expect(201, 'administrator', '/events', { json })
    const on = (day: string, more: object = {}) =>
      add({ title: 'An event', start_date: `${day} 19:00`, end_date: `${day} 22:00`, ...more })
    for (const day of ['2031-06-10', '2031-06-11', '2031-08-11']) await on(day, { categories: ['Small'] })
    for (let n = 1; n <= 4; n++)
      await add({ title: 'Long', start_date: `2031-05-0${n} 10:00`, end_date: `2031-07-0${n} 10:00` })
  })
  after(() => service.close())

  const hasFew = async (most: number, days: object) => {
    const scope = { ...createScope(service.config, service.db, CLOCK), user: null }
    const { values, problems } = readListParameters(scope, () => ({ categories: 'small', ...days }))
    return service.db.read(async (tx) => hasFewLinks(tx, await filterOf(tx, scope, values, problems), most))
  }

  it('has few links in its range', async () => {
    const june = { start_date: '2031-06-01', end_date: '2031-06-30' }
    assert.equal(await hasFew(2, june), true)
    assert.equal(await hasFew(1, june), false)
  })

  it('has few long events that run into its range, of whatever they are', async () => {
    assert.equal(await hasFew(4, { ends_after: '2031-06-05 00:00:00' }), true)
    assert.equal(await hasFew(3, { ends_after: '2031-06-05 00:00:00' }), false)
    assert.equal(await hasFew(3, { ends_after: '2031-08-01 00:00:00' }), true)
  })
})
