import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { clock } from '../support/calendar.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

/** Today is 10 June 2031 in New York, and 16:00 in UTC, which is the zone of the site. */
describe('the page of an event', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '0' } })
  })
  after(() => service.close())

  const add = (title: string, day: string, more: object = {}): Promise<Json> =>
    service.expect(201, 'editor', '/events', {
      json: { title, slug: title, start_date: `${day} 19:00`, end_date: `${day} 21:00`, ...more },
    })
  const page = async (slug: string, role: 'editor' | null = null) => {
    const headers = { accept: 'text/html', 'accept-language': 'en', ...(role && { authorization: basic(role) }) }
    const response = await service.inject({ url: `/event/${slug}/`, headers })
    assert.equal(response.statusCode, 200)
    return response.body
  }
  /** Slugs of the events that a section links to, in order. */
  const section = (body: string, name: string): string[] => {
    const [, part = ''] = new RegExp(`aria-labelledby="related-${name}">(.*?)</section>`, 's').exec(body) ?? []
    return [...part.matchAll(/href="\/event\/([^/"]+)\/"/g)].map(([, slug = '']) => slug)
  }
  const sections = (body: string) => ['dates', 'venue', 'organizer', 'similar'].map((name) => section(body, name))

  it('shows the other dates of its series, those to come first', async () => {
    const { id: parent } = await add('series', '2031-06-20')
    await add('series-late', '2031-08-01', { parent })
    await add('series-soon', '2031-07-01', { parent })
    await add('series-old', '2031-05-01', { parent })
    await add('series-older', '2031-04-01', { parent })
    await add('series-draft', '2031-07-02', { parent, status: 'draft' })
    await add('series-locked', '2031-07-03', { parent, password: 'sesame' })
    await add('series-unlisted', '2031-07-04', { parent, hide_from_listings: true })
    const children = ['series-soon', 'series-late', 'series-old', 'series-older']
    const body = await page('series')
    assert.match(body, /<h2[^>]*>Other dates<\/h2>/)
    assert.deepEqual(section(body, 'dates'), children)
    const of = (slug: string) => ['series', ...children].filter((other) => other !== slug)
    for (const slug of children) assert.deepEqual(section(await page(slug), 'dates'), of(slug), slug)
    assert.ok(section(await page('series-soon', 'editor'), 'dates').includes('series-draft'))
  })

  it('does not show a parent that its reader may not see', async () => {
    const { id: parent } = await add('hidden-parent', '2031-06-20', { status: 'private' })
    await add('open-child', '2031-06-21', { parent })
    assert.deepEqual(section(await page('open-child'), 'dates'), [])
    assert.deepEqual(section(await page('open-child', 'editor'), 'dates'), ['hidden-parent'])
  })

  it('shows more at its venue, more by its organizer, and similar events, none of them twice', async () => {
    const { id: venue } = await service.expect(201, 'editor', '/venues', { json: { venue: 'Mill' } })
    const { id: organizer } = await service.expect(201, 'editor', '/organizers', { json: { organizer: 'Guild' } })
    const { id: parent } = await add('main', '2031-06-20', {
      venue,
      organizer,
      categories: ['Folk'],
      tags: ['dance', 'outdoors'],
    })
    await add('date', '2031-06-21', { parent, venue, organizer, categories: ['Folk'] })
    for (const day of ['24', '22', '23', '25']) await add(`at-${day}`, `2031-06-${day}`, { venue, organizer })
    await add('at-past', '2031-05-22', { venue })
    await add('by', '2031-06-29', { organizer, categories: ['Folk'] })
    await add('like-one', '2031-06-26', { categories: ['Folk'] })
    await add('like-two', '2031-06-27', { categories: ['Folk'], tags: ['dance'] })
    await add('like-three', '2031-06-28', { categories: ['Folk'], tags: ['dance', 'outdoors'] })
    await add('like-past', '2031-06-09', { categories: ['Folk'], tags: ['dance', 'outdoors'] })
    await add('like-draft', '2031-06-24', { categories: ['Folk'], tags: ['dance'], status: 'draft' })
    await add('like-locked', '2031-06-24', { categories: ['Folk'], tags: ['dance'], password: 'sesame' })
    const body = await page('main')
    assert.deepEqual(sections(body), [
      ['date'],
      ['at-22', 'at-23', 'at-24'],
      ['at-25', 'by'],
      ['like-three', 'like-two', 'like-one'],
    ])
    for (const heading of ['More at this venue', 'More by this organizer', 'Similar events'])
      assert.ok(body.includes(`>${heading}</h2>`), heading)
    const all = sections(await page('like-one')).flat()
    assert.equal(new Set(all).size, all.length)
    assert.ok(!all.includes('like-one'))
  })

  it('shows the next date of another series, and that once', async () => {
    const { id: venue } = await service.expect(201, 'editor', '/venues', { json: { venue: 'Barn' } })
    const { id: organizer } = await service.expect(201, 'editor', '/organizers', { json: { organizer: 'Choir' } })
    await add('in-the-barn', '2031-06-20', { venue, organizer })
    await add('every-day', '2031-06-21', { venue, organizer, recurrence: 'FREQ=DAILY;COUNT=4' })
    assert.deepEqual(sections(await page('in-the-barn')), [[], ['every-day'], [], []])
  })

  it('shows no related events of a protected one', async () => {
    await add('locked', '2031-06-22', { password: 'sesame', categories: ['Folk'] })
    assert.deepEqual(sections(await page('locked', 'editor')).flat(), [])
  })
})
