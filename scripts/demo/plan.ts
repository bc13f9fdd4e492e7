import type { DemoEvent } from './demo-event.ts'
import { exhibitionGroups, festivalGroups, seriesGroups, specialGroups } from './groups.ts'
import { oneOffEvents } from './one-off.ts'
import { randomOf } from './random.ts'

/** Events that belong together: a series, or the parts of a festival, whose first event is the parent of the others. */
export type Group = readonly DemoEvent[]

/** The largest share of events that belong to series, festivals and the like. */
const MOST_GROUPED = 0.5

/**
 * The year of the city: `count` events from two months before a day to ten months after it, in the order in which they
 * are created. The same day and number give the same year.
 */
export function planYear(today: string, count: number): Group[] {
  const random = randomOf(`port-lorcan/${today}`)
  const groups = fit(
    [
      specialGroups(today),
      festivalGroups(today, random.fork('festivals')),
      seriesGroups(today),
      exhibitionGroups(today, random.fork('exhibitions')),
    ],
    count,
  )
  const grouped = groups.flat()
  const single = oneOffEvents(today, count - grouped.length, grouped, random.fork('once')).map((event) => [event])
  return [...groups, ...single].sort((former, latter) => (startOf(former) < startOf(latter) ? -1 : 1))
}

const startOf = ([first]: Group) => first?.start ?? ''

/** As many groups as there is room for, from each source in turn. Of long groups only the first events are used. */
function fit(sources: readonly Group[][], count: number): Group[] {
  const room = Math.floor(count * MOST_GROUPED)
  const longest = Math.max(3, Math.ceil(count / 20))
  const chosen: Group[] = []
  let used = 0
  const deepest = Math.max(...sources.map((source) => source.length))
  for (let row = 0; row < deepest; row++) {
    for (const source of sources) {
      const group = source[row]?.slice(0, longest) ?? []
      if (group.length === 0 || used + group.length > room) continue
      chosen.push(group)
      used += group.length
    }
  }
  return chosen
}
