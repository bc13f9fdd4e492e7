import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NO_STUBS } from '../../src/domain/cached-lists.ts'
import { FollowedChanges } from '../../src/domain/dependencies.ts'
import { ListCache } from '../../src/rest/rendered/list-cache.ts'
import { RESPONSES } from '../../src/schema/responses.ts'
import type { EventFilter } from '../../src/storage/event-filter.ts'
import { RandomSite, seeded } from '../support/random-site.ts'
import { type Json, startService } from '../support/service.ts'
import { some, times } from '../support/thorough.ts'

const ROUNDS = times(60, 10)

/** Every field of the top level, by name: such a response is not assembled from cached JSON. */
const ALL_FIELDS = {
  list: Object.keys(RESPONSES.EventList.properties ?? {}).join(),
  event: Object.keys(RESPONSES.Event.properties ?? {}).join(),
}

const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

describe('events that are assembled from cached JSON', () => {
  for (const seed of some([1, 2], 1)) {
    it(`equal those that are rendered from the database, whatever changes, from seed ${seed}`, async () => {
      const service = await startService({ settings: SETTINGS, clock: () => Date.UTC(2031, 5, 1) / 1000 })
      const site = new RandomSite(service, seeded(seed))
      await site.fill()
      let last = 'the beginning'
      for (let round = 0; round < ROUNDS; round++) {
        for (const role of [null, 'editor'] as const) {
          for (const { path, fields } of addresses(site)) {
            const short = await service.call(role, path)
            const long = await service.call(role, `${path}${path.includes('?') ? '&' : '?'}_fields=${fields}`)
            const name = `${path} for ${role ?? 'everybody'} after ${last}`
            assert.equal(short.statusCode, long.statusCode, name)
            if (short.statusCode === 200) assert.deepEqual(told(short.json()), told(long.json()), name)
          }
        }
        // Some of the stored templates are then outdated.
        if (round % 2 === 0) await service.render()
        last = await site.change()
      }
      await service.close()
    })
  }

  function addresses(site: RandomSite): { path: string; fields: string }[] {
    const [venue, category, tag] = [site.one(site.venues), site.one(site.categories), site.one(site.tags)]
    const lists = [
      '/events',
      '/events?per_page=3&page=2',
      '/events?per_page=3&page=2',
      `/events?venue=${venue}`,
      `/events?categories=${category}`,
      `/events?tags=${tag}&per_page=50`,
      '/events?featured=true',
      '/events?search=name',
      `/events?include=${[...site.events.keys()].slice(-5).join()}`,
    ]
    const chosen = [...site.events].filter((_, n, { length }) => n === length - 1 || n % 5 === 0)
    return [
      ...lists.map((path) => ({ path, fields: ALL_FIELDS.list })),
      ...chosen.flatMap(([id, slug]) => [
        { path: `/events/${id}`, fields: ALL_FIELDS.event },
        { path: `/events/by-slug/${slug}`, fields: ALL_FIELDS.event },
      ]),
    ]
  }

  /** Without what names the request itself. */
  function told(body: Json): Json {
    const text = JSON.stringify(body).replaceAll(/_fields=[^"&]*&?/g, '')
    return JSON.parse(text.replaceAll(/[?&]"/g, '"'))
  }
})

describe('the cache of lists', () => {
  it('is bounded, however many lists are asked for', () => {
    const lists = new ListCache(new FollowedChanges(() => null)).atCurrent()
    const ids = Array.from({ length: 7000 }, (_, n) => n)
    for (let n = 0; n < 3000; n++)
      lists.put(`list ${n}`, { filter: {} as EventFilter, total: ids.length, head: NO_STUBS, ids, pageEnds: new Map() })
    let held = 0
    for (let n = 2999; n >= 0; n--) if (lists.get(`list ${n}`) !== undefined) held++
    assert.ok(held > 100 && held < 400, String(held))
  })
})
