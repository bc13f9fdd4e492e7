import type { DemoEvent } from './demo-event.ts'
import { exhibitionGroups, festivalGroups, seriesGroups, singularGroups } from './groups.ts'
import { onceOnly } from './once.ts'
import { chanceOf } from './random.ts'

/** What belongs together: the first is the parent of the others. */
export type Group = readonly DemoEvent[]

/** The share of events that are parts of something larger, at most. */
const MOST_GROUPED = 0.5

/**
 * A city's year: so many events from two months before a day to ten months after it, in the order in which they are
 * made. The same day and number give the same year.
 */
export function planYear(today: string, count: number, seed = 'port-lorcan'): Group[] {
  const chance = chanceOf(`${seed}/${today}`)
  const groups = fit(
    [
      singularGroups(today),
      festivalGroups(today, chance.fork('festivals')),
      seriesGroups(today),
      exhibitionGroups(today, chance.fork('exhibitions')),
    ],
    count,
  )
  const grouped = groups.reduce((sum, group) => sum + group.length, 0)
  const single = onceOnly(today, count - grouped, groups.flat(), chance.fork('once')).map((event) => [event])
  return [...groups, ...single].sort((former, latter) => (startOf(former) < startOf(latter) ? -1 : 1))
}

const startOf = ([first]: Group) => first?.start ?? ''

/** As many groups as there is room for, from each source in turn, and of long ones their first parts. */
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
