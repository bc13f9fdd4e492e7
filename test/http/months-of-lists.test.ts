import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

describe('lists of events', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock })
    for (const [title, day] of Object.entries({ One: '2031-06-12', Two: '2031-06-20', Three: '2032-02-10' }))
      await service.expect(201, 'editor', '/events', {
        json: {
          title,
          start_date: `${day} 19:00`,
          end_date: `${day} 20:00`,
          venue: { venue: 'Hall' },
          organizer: { organizer: 'Guild' },
          categories: ['Music'],
          tags: ['loud'],
          featured: title === 'Three',
        },
      })
  })
  after(() => service.close())

  for (const url of ['/', '/events/', '/events/category/music/', '/venue/hall/', '/organizer/guild/', '/tag/loud/'])
    it(`are grouped by month at ${url}`, async () => {
      const { body } = await service.inject({ url, headers: { accept: 'text/html' } })
      const months = [...body.matchAll(/<h2 class="month-name">([^<]*)</g)].map(([, month]) => month)
      assert.deepEqual(months, ['June 2031', 'February 2032'])
    })

  it('name the year of a featured event of another year', async () => {
    const { body } = await service.inject({ url: '/', headers: { accept: 'text/html' } })
    assert.match(body, /<time datetime="2032-02-10">Tuesday, February 10, 2032</)
  })
})
