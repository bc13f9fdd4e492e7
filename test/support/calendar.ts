import sharp from 'sharp'
import { toInstant } from '../../src/calendar/zone.ts'
import type { Service } from './service.ts'

/** Noon on Tuesday, 10 June 2031, in New York: “today” in tests of pages. */
export const NOON = toInstant('2031-06-10 12:00:00', 'America/New_York')
export const clock = () => NOON

/** A name that would run code wherever it was not escaped; encoded, so that it is stored with its brackets. */
export const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)> ' onfocus='alert(3) " onclick="alert(4) {{7*7}} \u2028 --> ]]>`
const encoded = HOSTILE.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The slugs of what a small calendar has. */
export interface Sample {
  readonly hostile: string
  readonly places: {
    readonly venue: string
    readonly organizer: string
    readonly category: string
    readonly tag: string
  }
}

/** Fills a calendar with what is hard to show: long, short, hostile, protected, unpublished, in other scripts, over days and zones. */
export async function fillCalendar(service: Service): Promise<Sample> {
  const add = (json: object, role: 'editor' | 'author' = 'editor') => service.expect(201, role, '/events', { json })
  const image = await pictureOf(service, '#2f6b46')
  const hall = { venue: 'Harbour Hall', address: '1 Quay St', city: 'New York', geo_lat: 40.7, geo_lng: -74.01 }
  await add({
    title: 'Harbour Concert',
    start_date: '2031-06-12 19:00',
    end_date: '2031-06-12 22:00',
    description: `<h1>Loud</h1><p class="skip">Music <img src="https://elsewhere.example/x.png" alt="by the sea"> for all</p>`,
    excerpt: 'An evening by the water.',
    venue: { ...hall, phone: '+1 212 555 0100', website: 'https://hall.example.org' },
    organizer: { organizer: 'Jazz Guild', email: 'info@guild.example.org' },
    categories: ['Music'],
    tags: ['open air'],
    image,
    cost: '10 - 20',
    featured: true,
    tickets: [{ name: 'Standing', price: '10', currency: 'USD', url: 'https://tickets.example.org' }],
  })
  await add({ title: 'Exhibition of Light', start_date: '2031-05-20', end_date: '2031-07-02', all_day: true, image })
  await add({ title: 'Street Festival', start_date: '2031-06-13', end_date: '2031-06-15', all_day: true })
  await add({ title: 'أمسية شعرية', start_date: '2031-06-11 20:00', end_date: '2031-06-11 22:00', venue: hall })
  await add({
    title: '落語の夕べ',
    start_date: '2031-06-11 18:00',
    end_date: '2031-06-11 19:30',
    timezone: 'Asia/Tokyo',
    venue: { venue: 'Theatre', city: 'Tokyo', geo_lat: 35.68, geo_lng: 139.76 },
  })
  await add({ title: 'Long '.repeat(60), start_date: '2031-06-10 20:00', end_date: '2031-06-11 02:00', cost: 'Free' })
  await add({
    title: 'Secret Supper',
    start_date: '2031-06-12 20:00',
    end_date: '2031-06-12 23:00',
    password: 'sesame',
    description: 'Oysters.',
    venue: { venue: 'Hidden Cellar' },
  })
  await add({ title: 'Unfinished', start_date: '2031-06-12', end_date: '2031-06-12', status: 'draft' }, 'author')
  await add({ title: 'Long Ago', start_date: '2030-01-02 10:00', end_date: '2030-01-02 11:00' })
  for (let n = 0; n < 30; n++)
    await add({
      title: `Market ${n}`,
      start_date: `2031-07-${String(n + 1).padStart(2, '0')} 08:00`,
      end_date: `2031-07-${String(n + 1).padStart(2, '0')} 12:00`,
      categories: ['Markets'],
    })
  return fillHostile(service, image)
}

async function fillHostile(service: Service, image: number): Promise<Sample> {
  const parent = await service.expect(201, 'editor', '/categories', { json: { name: `Top ${encoded}` } })
  const category = await service.expect(201, 'editor', '/categories', {
    json: { name: `Cat ${encoded}`, parent: parent.id, description: `<p>${encoded}</p>` },
  })
  const event = await service.expect(201, 'editor', '/events', {
    json: {
      title: `Title ${encoded}`,
      start_date: '2031-06-11 10:00',
      end_date: '2031-06-11 11:00',
      description: `<p>${encoded}</p><script>alert(5)</script><p onclick="alert(6)">x</p><a href="javascript:alert(7)">y</a>`,
      excerpt: encoded,
      cost: encoded.slice(0, 150),
      venue: {
        venue: `Venue ${encoded}`,
        address: encoded,
        city: encoded,
        phone: encoded,
        description: encoded,
        geo_lat: 40.71,
        geo_lng: -74,
      },
      organizer: { organizer: `Organizer ${encoded}`, phone: encoded, description: encoded },
      categories: [category.id],
      tags: [`Tag ${encoded}`],
      featured: true,
      image,
      tickets: [{ name: `Ticket ${encoded}` }],
    },
  })
  const path = (url: string) => new URL(url).pathname
  return {
    hostile: path(event.url),
    places: {
      venue: path(event.venue.url),
      organizer: path(event.organizer[0].url),
      category: path(event.categories[0].url),
      tag: path(event.tags[0].url),
    },
  }
}

async function pictureOf(service: Service, background: string): Promise<number> {
  const raw = await sharp({ create: { width: 1200, height: 800, channels: 3, background } })
    .jpeg()
    .toBuffer()
  const headers = { 'content-type': 'image/jpeg' }
  return (await service.expect(201, 'editor', '/images', { raw, headers })).id
}
