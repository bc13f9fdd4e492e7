import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

describe('views without events', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock })
  })
  after(() => service.close())

  const add = (title: string, start_date: string, end_date: string, more: object = {}) =>
    service.expect(201, 'editor', '/events', { json: { title, start_date, end_date, ...more } })
  const main = async (url: string) => {
    const { body, statusCode } = await service.inject({ url, headers: { accept: 'text/html' } })
    assert.equal(statusCode, 200, url)
    return /<main.*<\/main>/s.exec(body)?.[0] ?? ''
  }
  const note = async (url: string) => /<div class="empty">.*?<\/div>/s.exec(await main(url))?.[0] ?? ''
  const links = async (url: string) =>
    [...(await note(url)).matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))

  it('lead nowhere in a calendar without any event', async () => {
    for (const url of ['/', '/events/', '/events/map/', '/events/month/2031-06/', '/events/week/', '/events/day/']) {
      assert.match(await note(url), /No events|There are no events/, url)
      assert.deepEqual(await links(url), [], url)
    }
    assert.doesNotMatch(await main('/'), /href="\/events\/(\?|day\/|week\/|map\/|")/)
  })

  it('lead to the nearest month, week or day with events', async () => {
    await add('Past', '2031-01-10 10:00', '2031-01-10 11:00', { categories: ['Old'] })
    await add('Long', '2030-12-01', '2031-03-03', { all_day: true })
    await add('Night', '2031-03-31 22:00', '2031-04-01 03:00', { categories: ['Night'] })
    await add('Far', '2060-01-01', '2060-01-01')
    assert.deepEqual(await links('/events/month/2031-05/'), ['/events/month/2031-03/'])
    assert.deepEqual(await links('/events/month/2031-04/'), ['/events/month/2031-03/'])
    assert.match(await note('/events/month/2031-04/'), /There are no events in April 2031\./)
    assert.match(await note('/events/month/2031-04/'), /March 2031</)
    assert.deepEqual(await links('/events/day/2031-03-20/'), ['/events/day/2031-03-31/'])
    assert.deepEqual(await links('/events/week/2031-05-01/'), ['/events/week/2031-03-31/'])
    await add('Next', '2031-08-20 10:00', '2031-08-20 11:00')
    assert.deepEqual(await links('/events/month/2031-07/'), ['/events/month/2031-08/'])
    // Of two that are equally near, the later one.
    await add('Other', '2032-02-01', '2032-02-01')
    assert.deepEqual(await links('/events/month/2031-11/'), ['/events/month/2032-02/'])
    assert.deepEqual(await links('/events/month/2035-01/'), ['/events/month/2032-02/'])
  })

  it('keep the filters on the way, and offer to remove them', async () => {
    assert.deepEqual(await links('/events/month/2031-03/?category=old'), [
      '/events/month/2031-01/?category=old',
      '/events/month/2031-03/',
    ])
    assert.match(await note('/events/?category=old'), /No events match these filters\./)
    assert.deepEqual(await links('/events/?category=old'), ['/events/'])
    assert.deepEqual(await links('/events/category/old/'), ['/events/month/2031-01/?category=old'])
  })
})

describe('the start page without upcoming events', () => {
  it('leads to the last month with events, not to an empty list', async () => {
    const service = await startService({ clock })
    try {
      const json = { title: 'Past', start_date: '2031-02-10', end_date: '2031-02-10' }
      await service.expect(201, 'editor', '/events', { json })
      const { body } = await service.inject({ url: '/', headers: { accept: 'text/html' } })
      const [main = ''] = /<main.*<\/main>/s.exec(body) ?? []
      assert.match(main, /No events are planned at the moment\..*href="\/events\/month\/2031-02\/"/s)
      assert.doesNotMatch(main, /href="\/events\/(\?|")/)
    } finally {
      await service.close()
    }
  })
})
