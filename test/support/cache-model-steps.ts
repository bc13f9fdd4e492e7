import type { CachedSite, Node, Write } from './cache-model-site.ts'
import { changedEvent, linkedWrite, MOMENTS, NAMES, TITLES, timesOf, write, ZONES } from './cache-model-writes.ts'
import fc from './property.ts'

const merged = fc.constantFrom('categories', 'tags', 'venues', 'organizers').map((plural) => {
  const kind = { categories: 'category', tags: 'tag', venues: 'venue', organizers: 'organizer' }[plural]
  return { path: `/manage/${plural}/{${kind}:1}`, fields: { do: 'merge', into: `{${kind}:0}` } }
})
const settings = fc
  .constantFrom<Record<string, string>[]>(
    { site_name: 'Another name' },
    { timezone: 'Pacific/Kiritimati' },
    { week_start: 'sunday' },
    { currency: '€' },
    { language: 'de' },
  )
  .map((fields) => ({ path: '/manage/settings', fields: { do: 'save', ...fields } }))

const renamed = fc
  .tuple(fc.constantFrom('venue', 'organizer'), fc.nat(1), fc.constantFrom(...NAMES))
  .map(([kind, n, name]): Write => {
    const path = `/${kind}s/{${kind}:${n}}`
    return { by: 'administrator', method: 'PATCH', path, json: { [kind]: name } }
  })
/** An event and what it may be linked to, often in one commit. */
const pair = fc.tuple(changedEvent, fc.oneof(linkedWrite, renamed)).map((both): readonly Write[] => both)
const events = fc.array(changedEvent, { minLength: 2, maxLength: 3 })
const several = fc.oneof(pair, pair, events, fc.array(write, { minLength: 2, maxLength: 4 }))

const batch = fc
  .tuple(
    fc.constantFrom<Write['by'][]>('administrator', 'administrator', 'administrator', 'administrator', 'author'),
    several,
    fc.boolean(),
  )
  .map(([by, writes, atomic]): Write => {
    const requests = writes
      .filter(({ path }) => path !== '/images')
      .map(({ method, path, json }) => ({ method, path, ...(json !== undefined && { body: json }) }))
    return { by, method: 'POST', path: '/batch', json: { requests, atomic } }
  })

/** More events in one commit than are told of one by one. */
const many = fc.constantFrom(...TITLES).map((title): Write => {
  const body = { title, ...timesOf(MOMENTS[4], ZONES[0], 3600), categories: ['{category:0}'] }
  const requests = Array.from({ length: 25 }, () => ({ method: 'POST', path: '/events', body }))
  return { by: 'administrator', method: 'POST', path: '/batch', json: { requests } }
})

/** What happens between two rounds of reads. */
export type Step = (
  | { readonly writes: readonly Write[] }
  | { readonly form: { readonly path: string; readonly fields: Record<string, string> } }
  | { readonly seconds: number; readonly publishes: boolean }
  | { readonly render: true }
) & { readonly node: Node; readonly readsMeanwhile?: boolean }

const node = fc.constantFrom<Node[]>('here', 'here', 'here', 'here', 'here', 'elsewhere')
const readsMeanwhile = fc.constantFrom(false, false, true)
const written = (writes: fc.Arbitrary<readonly Write[]>) => fc.record({ writes, node, readsMeanwhile })

export const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: written(write.map((one) => [one])), weight: 22 },
  { arbitrary: written(batch.map((one) => [one])), weight: 14 },
  { arbitrary: written(several), weight: 8 },
  { arbitrary: written(many.map((one) => [one])), weight: 1 },
  { arbitrary: fc.record({ form: fc.oneof(merged, settings), node: fc.constant('here' as const) }), weight: 2 },
  {
    arbitrary: fc.record({
      seconds: fc.constantFrom(1, 30, 3700, 6 * 3600, 12 * 3600, 86_400),
      publishes: fc.boolean(),
      node,
    }),
    weight: 12,
  },
  { arbitrary: fc.constant({ render: true, node: 'here' } as const), weight: 4 },
)

/** Does a step; answers what was done. */
export async function take(site: CachedSite, step: Step): Promise<string> {
  if ('seconds' in step) return site.wait(step.seconds, step.publishes ? step.node : null)
  if ('render' in step) return site.render()
  if ('form' in step) return site.submit(step.form.path, step.form.fields)
  return (await Promise.all(step.writes.map((write) => site.write(write, step.node)))).join('\n    ')
}
