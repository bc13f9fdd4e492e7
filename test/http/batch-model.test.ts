import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

/** A request about one of a few events, and how it is meant to end. */
interface Drawn {
  readonly verb: 'create' | 'repeat' | 'rename' | 'trash' | 'remove' | 'remove all'
  readonly at: number
  /** `dry` is a dry run; `bad` has a new venue and an impossible date. */
  readonly fate: 'real' | 'dry' | 'bad'
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  verb: fc.constantFrom('create', 'repeat', 'rename', 'trash', 'remove', 'remove all'),
  at: fc.nat(1),
  fate: fc.constantFrom('real', 'real', 'dry', 'bad'),
})

const batches = fc.array(
  fc.record({ atomic: fc.boolean(), keyed: fc.boolean(), requests: fc.array(drawn, { minLength: 1, maxLength: 5 }) }),
  { minLength: 1, maxLength: 4 },
)

/** An event that the calendar must hold. */
interface Held {
  /** Its slug, if requests use it; of a series, the first event has it. */
  readonly slug: string | null
  readonly series: number | null
  readonly shown: string
}

const COUNT = 3

describe('a batch of real, dry and refused requests', () => {
  let service: Service
  let drawnNames = 0
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  /** A request, and the events after it if it is done. */
  function requestOf(
    { verb, at, fate }: Drawn,
    run: number,
  ): { request: Json; done: (held: Held[], body: Json) => Held[] } {
    const name = `run ${run} n${++drawnNames}`
    const slug = `run-${run}-event-${at}`
    const shown = `${name} at Venue ${name}`
    const dates = { start_date: '2031-06-10 20:00', end_date: fate === 'bad' ? '1990-01-01' : '2031-06-10 21:00' }
    // The venue is created with the event, and only then.
    const body = { title: name, venue: { venue: `Venue ${name}` }, ...dates }
    const dry: Record<string, string> = fate === 'dry' ? { dry_run: 'true' } : {}
    const path = (query: Record<string, string>) =>
      `/events/by-slug/${slug}?${new URLSearchParams({ ...query, ...dry })}`
    const when = (done: (held: Held[], body: Json) => Held[]) => (fate === 'dry' ? (held: Held[]) => held : done)
    if (verb === 'create' || verb === 'repeat') {
      const recurrence = verb === 'repeat' ? { recurrence: `FREQ=DAILY;COUNT=${COUNT}` } : {}
      return {
        request: { method: 'POST', path: '/events', body: { ...body, ...recurrence, ...dry, slug } },
        done: when((held, { slug, recurrence }) => [
          ...held,
          ...Array.from({ length: verb === 'repeat' ? COUNT : 1 }, (_, n) => ({
            slug: n === 0 ? slug : null,
            series: recurrence?.series ?? null,
            shown,
          })),
        ]),
      }
    }
    const isMeant = (held: Held[], one: Held, whole: boolean) => {
      const asked = held.find((other) => other.slug === slug)
      return one === asked || (whole && asked !== undefined && asked.series !== null && one.series === asked.series)
    }
    if (verb === 'rename')
      return {
        request: { method: 'PATCH', path: path({ scope: 'all' }), body },
        done: when((held) => held.map((one) => (isMeant(held, one, true) ? { ...one, shown } : one))),
      }
    const whole = verb === 'remove all'
    return {
      request: {
        method: 'DELETE',
        path: path(verb === 'trash' ? {} : { force: 'true', scope: whole ? 'all' : 'this' }),
      },
      done: when((held) => held.filter((one) => !isMeant(held, one, whole))),
    }
  }

  const all = async (kind: 'events' | 'venues', search: string): Promise<Json[]> => {
    const found: Json[] = []
    for (let page = 1; ; page++) {
      const query = { search, per_page: 50, page, ...(kind === 'events' && { start_date: '2031-01-01' }) }
      const list = await service.expect(200, 'editor', `/${kind}`, { query })
      found.push(...list[kind])
      if (page >= list.total_pages) return found
    }
  }

  it('leaves what was told as done, and nothing else', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        run++
        let held: Held[] = []
        const venues = new Set<string>()
        for (const { atomic, keyed, requests } of given) {
          const made = requests.map((one) => requestOf(one, run))
          const headers: Record<string, string> = keyed ? { 'idempotency-key': `batch ${drawnNames}` } : {}
          const call = { json: { atomic, requests: made.map(({ request }) => request) }, headers }
          const answer = await service.expect(200, 'editor', '/batch', call)
          const responses: Json[] = answer.responses
          const isRefused = atomic && responses.some(({ status }) => status >= 400)
          assert.equal(answer.rolled_back, isRefused)
          for (const [n, { done }] of made.entries()) {
            const { status, body } = responses[n]
            const { verb, fate } = requests[n] as Drawn
            if ((verb === 'create' || verb === 'repeat') && !isRefused)
              assert.equal(status, { real: 201, dry: 200, bad: 400 }[fate])
            if (!isRefused && status < 300) held = done(held, body)
            for (const { shown } of held) venues.add(shown.split(' at ')[1] ?? '')
          }
          if (keyed) assert.deepEqual(await service.expect(200, 'editor', '/batch', call), answer)
          const found = (await all('events', `run ${run} `)).map(({ title, venue }) => `${title} at ${venue.venue}`)
          assert.deepEqual(found.sort(), held.map(({ shown }) => shown).sort())
          for (const { venue } of await all('venues', `run ${run} `))
            assert.ok(venues.has(venue), `${venue} was left behind`)
        }
      }),
      { numRuns: times(150, 12) },
    )
  })
})
