import type { CachedSite } from './cache-model-site.ts'
import { MOMENTS, timesOf } from './cache-model-writes.ts'

/** The calendar that each history begins with. */
export async function fill(site: CachedSite): Promise<void> {
  const send = (by: 'administrator' | 'contributor', path: string, bodies: readonly object[]) => {
    const requests = bodies.map((body) => ({ method: 'POST', path, body }))
    return site.write({ by, method: 'POST', path: '/batch', json: { requests, atomic: true } })
  }
  const add = (path: string, bodies: readonly object[]) => send('administrator', path, bodies)
  await site.write({ by: 'editor', method: 'POST', path: '/images' })
  await add('/venues', [
    { venue: 'Hall', geo_lat: 40.7, geo_lng: -74 },
    { venue: 'Barn', geo_lat: 10, geo_lng: 10, image: '{image:0}' },
    { venue: 'Attic' },
    { venue: 'Cellar', status: 'draft' },
    // Its only event is today.
    { venue: 'Yard' },
  ])
  await add('/organizers', [{ organizer: 'Guild' }, { organizer: 'Club' }])
  await add('/categories', [{ name: 'Music' }, { name: 'Dance' }])
  await add('/categories', [{ name: 'Jazz', parent: '{category:0}' }])
  await add('/categories', [{ name: 'Bebop', parent: '{category:2}' }])
  await add('/tags', [{ name: 'Loud' }, { name: 'Open air' }])
  const at = (moment: number, zone = 'America/New_York', length = 3600) => timesOf(MOMENTS[moment] ?? '', zone, length)
  await add('/events', [
    { title: 'Jazz night', ...at(4), venue: '{venue:0}', categories: ['{category:2}'], tags: ['{tag:0}'] },
    { title: 'Night market', ...at(4, 'Pacific/Kiritimati'), venue: '{venue:1}', ...terms },
    { title: 'Quiet', ...at(4, 'America/Los_Angeles'), venue: ['{venue:0}', '{venue:2}'], organizer: '{organizer:0}' },
    { title: 'Morning', ...at(5, 'UTC+5.5'), categories: ['{category:3}'], tags: ['{tag:0}', '{tag:1}'], cost: '0' },
    {
      title: 'Secret',
      ...at(7),
      password: 'sesame',
      venue: '{venue:0}',
      categories: ['{category:0}'],
      tags: ['{tag:0}'],
    },
    { title: 'Weekly', ...at(6), recurrence: 'FREQ=WEEKLY;COUNT=3', organizer: '{organizer:1}', tags: ['{tag:1}'] },
    { title: 'Soon', ...at(1), venue: '{venue:4}', organizer: '{organizer:0}', featured: true, ...terms },
    { title: 'Long', ...at(0, 'America/New_York', 10 * 86_400), venue: '{venue:2}', ...terms },
    { title: 'Later', ...at(7), parent: 0, status: 'private', tags: ['{tag:1}'] },
  ])
  // They are published one after the other when the clock is set; the last one publishes the venue, too.
  await add('/events', [
    { title: 'Due', ...at(4), status: 'publish', later: 30, categories: ['{category:0}'], tags: ['{tag:0}'] },
    { title: 'Due', ...at(6), status: 'publish', later: 5 * 3600 },
    { title: 'Due', ...at(5), status: 'publish', later: 86_400, venue: '{venue:3}' },
  ])
  await add('/events', [{ title: 'Session', ...at(4), parent: '{event:0}', categories: ['{category:1}'] }])
  // So that a count gets a digit more, or less.
  await add(
    '/events',
    Array.from({ length: 6 }, (_, n) => ({ title: `Past ${n}`, ...past, tags: ['{tag:0}'] })),
  )
  await send('contributor', '/events', [{ title: 'Draft', ...at(4), venue: '{venue:0}', categories: ['{category:0}'] }])
  await site.render()
}

/** That many events have, so that their counts are seen to change. */
const terms = { categories: ['{category:0}', '{category:1}'], tags: ['{tag:0}', '{tag:1}'] }
const past = { start_date: '2021-06-10 10:00', end_date: '2021-06-10 11:00' }
