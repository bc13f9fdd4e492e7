import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

const EVENT = { title: 'Draft', status: 'draft', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

/** Words that no other text has. */
function words(from: number, count: number): string[] {
  const letters = (n: number) =>
    [...n.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
  return Array.from({ length: count }, (_, n) => `q${letters(from + n).join('')}x`)
}

describe('words that searches may suggest', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const stored = async () =>
    new Set(
      (await service.db.read((tx) => tx.selectFrom('search_words').select('word').execute())).map(({ word }) => word),
    )
  const change = (path: string, json: object) => service.expect(200, 'editor', path, { method: 'PATCH', json })

  it('are those of the texts that are there, and not of all that ever were', async () => {
    const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
    for (let n = 0; n < 5; n++)
      await change(`/events/${id}`, {
        description: `<p>${words(n * 1000, 300).join(' ')}</p>`,
        excerpt: words(n * 1000 + 500, 300).join(' '),
      })
    const found = await stored()
    assert.ok([...words(4000, 300), ...words(4500, 300)].every((word) => found.has(word)))
    assert.ok(found.size < 620, `${found.size} words`)
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
    assert.ok((await stored()).size < 10)
  })

  it('stay while another event, venue, organizer or tag has them', async () => {
    const one = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, title: 'Harvest orchard meadow lantern' },
    })
    const other = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, description: 'A <b>harvest</b>' },
    })
    const venue = await service.expect(201, 'editor', '/venues', { json: { venue: 'Orchard hall' } })
    const tag = await service.expect(201, 'editor', '/tags', { json: { name: 'Meadow' } })
    await change(`/events/${one.id}`, { title: 'Other' })
    const found = await stored()
    const left = () => ['harvest', 'orchard', 'meadow', 'lantern'].filter((word) => found.has(word))
    assert.deepEqual(left(), ['harvest', 'orchard', 'meadow'])
    await change(`/venues/${venue.id}`, { venue: 'Barn' })
    await service.expect(200, 'editor', `/tags/${tag.id}`, { method: 'DELETE' })
    await change(`/events/${other.id}`, { description: null })
    const later = await stored()
    assert.deepEqual(
      ['harvest', 'orchard', 'meadow', 'barn'].filter((word) => later.has(word)),
      ['barn'],
    )
  })

  it('stay when the change that would remove them is rolled back', async () => {
    const { id } = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: 'Thunder' } })
    const requests = [
      { method: 'PATCH', path: `/events/${id}`, body: { title: 'Silence' } },
      { method: 'PATCH', path: `/events/${id}`, body: { start_date: 'never' } },
    ]
    await service.expect(200, 'editor', '/batch', { json: { requests, atomic: true } })
    const found = await stored()
    assert.deepEqual([found.has('thunder'), found.has('silence')], [true, false])
  })
})
