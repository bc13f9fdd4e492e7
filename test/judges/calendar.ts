import { transition, type Zone } from '../../src/calendar/zone.ts'
import type { Service } from '../support/service.ts'
import { VARIED_ZONES } from '../support/zones.ts'

/** Named zones of every sort, those that many calendars have, and offsets. */
const ZONES: readonly Zone[] = [
  ...VARIED_ZONES,
  'Africa/Monrovia',
  'America/Los_Angeles',
  'Australia/Sydney',
  'Etc/GMT+5',
  'Europe/London',
  'Europe/Paris',
  'Pacific/Kiritimati',
  'UTC',
  'UTC+2',
  'UTC-3:30',
  'UTC+5.75',
  'UTC+14',
  'UTC-12',
]

const DAYS = [1970, 1985, 1996, 2006, 2008, 2014, 2024, 2031, 2050, 2099].flatMap((year) => [
  `${year}-01-15`,
  `${year}-07-15`,
])

const TITLES = [
  'Semicolons; commas, colons: "quotes" \'and\' back\\slashes \\n \\,',
  '日本語のとても長いタイトル'.repeat(12),
  'Emoji 👩‍👩‍👧‍👦 🎷🏳️‍🌈 at every fold 🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷🎷',
  'מסיבה בתל אביב ‏(كل يوم)‏ Ω',
  'BEGIN:VEVENT',
  `${'Long title '.repeat(40)}end`,
]

export interface Made {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly zone: Zone
  readonly start: number | string
  /** Null for an event that takes no time. */
  readonly end: number | string | null
}

/** The slug of the tag of a zone. */
export function tagOf(zone: Zone): string {
  return zone.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

/** Tags, each with a feed. */
export const TAGS = [...ZONES.map(tagOf), 'all-day', 'texts', 'every-zone']

/** Fills a calendar through its REST interface, and tells what each event is there. */
export async function makeEvents({ expect }: Service): Promise<Made[]> {
  const made: Made[] = []
  const [known] = [await expect(201, 'editor', '/categories', { json: { name: 'Zones', slug: 'zones' } })]
  const tags = new Map<string, number>()
  for (const slug of TAGS) tags.set(slug, (await expect(201, 'editor', '/tags', { json: { name: slug, slug } })).id)
  const create = async (tag: string, json: { title: string } & Record<string, unknown>) => {
    const event = await expect(201, 'editor', '/events', { json: { ...json, tags: [tags.get(tag)] } })
    made.push({ id: event.id, slug: event.slug, title: json.title, zone: event.timezone, ...timesOf(event) })
  }
  for (const timezone of ZONES) {
    const zoned = (start_date: string, end_date: string) =>
      create(tagOf(timezone), {
        title: `${timezone} ${start_date}`,
        start_date,
        end_date,
        timezone,
        categories: [known.id],
      })
    for (const day of DAYS) await zoned(`${day} 19:00:00`, `${day} 22:30:00`)
    for (const instant of edgesOf(timezone)) await zoned(isoOf(instant), isoOf(instant + 5400))
    await zoned('2031-02-10 10:00:00', '2031-11-12 10:00:00')
    await zoned('2031-02-11 10:00:00', '2031-02-11 10:00:00')
  }
  for (const [n, timezone] of Intl.supportedValuesOf('timeZone').entries()) {
    const day = `20${25 + (n % 20)}-${String((n % 12) + 1).padStart(2, '0')}-10`
    await create('every-zone', { title: timezone, start_date: `${day} 09:00`, end_date: `${day} 10:00`, timezone })
  }
  for (const [n, day] of ['1970-01-01', '2024-02-28', '2031-03-30', '2031-12-31', '2100-12-31'].entries()) {
    const timezone = ZONES[n * 5] ?? 'UTC'
    const end = new Date(Date.parse(day) + n * 86_400_000).toISOString().slice(0, 10)
    await create('all-day', { title: `All day ${day}`, start_date: day, end_date: end, all_day: true, timezone })
  }
  for (const [n, title] of TITLES.entries()) {
    await create('texts', {
      title,
      start_date: `2031-06-1${n} 19:00`,
      end_date: `2031-06-1${n} 20:00`,
      timezone: ZONES[n * 4],
      description: `<p>${title}</p>`.repeat(5),
      venue: [
        { venue: `First ${title}`, address: '1, Rue; "x"', geo_lat: 48.85, geo_lng: 2.35 },
        { venue: `Second ${n}` },
      ],
      organizer: [{ organizer: title, email: 'a@example.org' }, { organizer: `Other ${n}` }],
    })
  }
  return made
}

/** Instants around the changes of a zone in a year, where a mistake would show. */
function* edgesOf(zone: Zone): Generator<number> {
  const [from, to] = [Date.UTC(2031, 0) / 1000, Date.UTC(2032, 0) / 1000]
  for (let at = transition(from, zone, 'next'); at !== null && at < to; at = transition(at, zone, 'next')) {
    for (const distance of [-7200, -3600, -1800, 0, 1800, 3600, 7200]) yield at + distance
  }
}

function isoOf(instant: number): string {
  return new Date(instant * 1000).toISOString().replace('.000', '')
}

interface Shown {
  readonly all_day: boolean
  readonly start_date: string
  readonly end_date: string
  readonly utc_start_date: string
  readonly utc_end_date: string
}

/** The times of an event as the REST interface tells them; in iCalendar, the end of all-day events is the day after. */
function timesOf({ all_day, start_date, end_date, utc_start_date, utc_end_date }: Shown): Pick<Made, 'start' | 'end'> {
  if (all_day) {
    const end = new Date(Date.parse(`${end_date.slice(0, 10)}T00:00:00Z`) + 86_400_000)
    return { start: start_date.slice(0, 10), end: end.toISOString().slice(0, 10) }
  }
  const [start, end] = [utc_start_date, utc_end_date].map((text) => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000)
  if (start === undefined || end === undefined) throw new Error('an event without times')
  return { start, end: end > start ? end : null }
}
