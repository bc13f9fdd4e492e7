import { toWallClock } from '../../src/calendar/zone.ts'
import * as events from '../../src/domain/events.ts'
import type { Scope } from '../../src/domain/scope.ts'
import { CITY } from './content.ts'
import { type DemoEvent, dayFrom } from './demo-event.ts'
import { type Group, planYear } from './plan.ts'
import { type Random, randomOf } from './random.ts'
import type { Ids, Progress } from './records.ts'
import * as records from './records.ts'
import { ticketsOf } from './tickets.ts'

/** How many pictures there are of each motif. */
const VARIANTS = 5

type Created = Readonly<Record<'pictures' | 'categories' | 'venues' | 'organizers', Ids>>

/** Fills a calendar with `count` events, through the same functions as every other client. */
export async function fill(scope: Scope, count: number, progress: Progress): Promise<void> {
  const random = randomOf('port-lorcan/fill')
  const today = toWallClock(scope.clock(), CITY.timezone).slice(0, 10)
  const groups = planYear(today, count)
  const pictures = await records.createPictures(scope, [...new Set(groups.flat().map(pictureOf))].sort(), progress)
  const created: Created = {
    pictures,
    categories: await records.createCategories(scope),
    venues: await records.createVenues(scope, pictures, progress),
    organizers: await records.createOrganizers(scope, progress),
  }
  let done = 0
  for (const group of groups) {
    if (await createSeries(scope, group, (first) => payloadOf(first, created, today, random.fork(first.title)))) {
      done += group.length
      progress('events', done, count)
      continue
    }
    let parent: number | null = null
    for (const event of group) {
      const payload = payloadOf(event, created, today, random.fork(`${event.title} ${event.start}`))
      const { row } = await events.create(scope, () => ({ ...payload, ...(parent !== null && { parent }) }))
      parent ??= row.id
      progress('events', ++done, count)
    }
  }
}

/** Creates a group that has a rule, with all its events. */
async function createSeries(
  scope: Scope,
  group: Group,
  payload: (first: DemoEvent) => Record<string, unknown>,
): Promise<boolean> {
  const [first] = group
  const last = group.at(-1)
  if (first?.rule === undefined || last === undefined || group.length === 1) return false
  const until = last.start.slice(0, 10).replaceAll('-', '')
  await events.create(scope, () => ({ ...payload(first), recurrence: `${first.rule};UNTIL=${until}` }))
  return true
}

const pictureOf = ({ motif, title }: DemoEvent) => `${motif}/${randomOf(title).int(0, VARIANTS - 1)}`

/** The body of a request that creates the event. */
function payloadOf(event: DemoEvent, created: Created, today: string, random: Random): Record<string, unknown> {
  const id = (ids: Ids, name: string): number => {
    const found = ids.get(name)
    if (found === undefined) throw new Error(`"${event.title}" refers to "${name}", which does not exist`)
    return found
  }
  const day = event.start.slice(0, 10)
  const published = dayFrom(day, -random.int(14, 80))
  const latest = dayFrom(today, -random.int(1, 30))
  return {
    title: event.title,
    start_date: event.start,
    end_date: event.end,
    all_day: event.allDay,
    timezone: CITY.timezone,
    date: `${published < latest ? published : latest} ${random.pick(['08:30', '10:15', '14:40', '17:05'])}:00`,
    description: event.description,
    ...(event.excerpt && { excerpt: event.excerpt }),
    cost: event.cost,
    categories: [id(created.categories, event.category)],
    tags: event.tags,
    venue: id(created.venues, event.venue),
    organizer: event.organizers.map((name) => id(created.organizers, name)),
    featured: event.featured,
    show_map: true,
    show_map_link: true,
    // Not every event has a poster.
    ...((event.featured || random.is(0.85)) && { image: id(created.pictures, pictureOf(event)) }),
    ...(random.is(0.3) && { website: `${records.websiteOf(event.organizers[0] ?? CITY.name)}${day}/` }),
    ...ticketsOf(event, random),
    ...(event.password && { password: event.password }),
    ...(event.status && { status: event.status }),
  }
}
