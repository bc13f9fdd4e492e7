import { NAMESPACE } from '../../src/http/endpoint.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { Attack } from './attack.ts'

/** An event whose long texts were changed over and over, and how often. */
const EVENT = 300
const CHANGES = 120
const LETTERS = 99_000

/** A long text of a few words in no order. */
function longText(seed: number): string {
  let [text, state] = ['', seed + 1]
  while (text.length < LETTERS) {
    state = (state * 48_271) % 2_147_483_647
    text += `w${state % 40}${text.length < 4000 ? ' ' : ''}`
  }
  return text
}

/** Adds a long history of one event to a seeded database. */
export async function addHistory(where: string): Promise<void> {
  const texts = Array.from({ length: 8 }, (_, n) => longText(n))
  const content = (n: number) =>
    JSON.stringify({ description: texts[n % 8], excerpt: texts[(n + 3) % 8], title: `Title ${n}` })
  const common = { user: 1, user_name: 'bench', address: null, way: 'rest', kind: 'event', record: EVENT } as const
  const db = openDatabase(where)
  try {
    for (let n = 0; n < CHANGES; n++)
      await db.writeMany((tx) =>
        tx
          .insertInto('audit')
          .values({
            ...common,
            action: 'changed',
            at_utc: Math.floor(Date.now() / 1000) - 1000 * (CHANGES - n),
            title: `Title ${n}`,
            before: content(n),
            after: content(n + 1),
            same_as: null,
          })
          .execute(),
      )
  } finally {
    await db.close()
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Histories on screens and by REST, batches of the longest answers, and what an assistant may ask. */
export function* histories(): Generator<Attack> {
  for (const path of [
    `/manage/events/${EVENT}/versions`,
    `/manage/events/${EVENT}/versions?page=3`,
    `/manage/events/${EVENT}/versions/0`,
    `/manage/events/${EVENT}/versions/${CHANGES - 20}`,
    '/manage/audit',
    '/manage/audit/1',
    `/manage/audit?record=event:${EVENT}`,
  ])
    yield { name: path, method: 'GET', path, staff: true }
  const history = `/events/${EVENT}/versions`
  const paths = [`${history}?per_page=500`, `${history}?per_page=5`, `${history}/0`, `${history}/1`]
  yield* batches([...paths, '/audit?per_page=500', '/audit?per_page=5'], 1)
  const everything = '/events?per_page=500&start_date=0001-01-01&end_date=9999-12-31'
  yield* batches([everything, `${history}?per_page=5`, `/events/${EVENT}`, '/venues?per_page=500'], 100)
}

function* batches(paths: readonly string[], times: number): Generator<Attack> {
  for (const path of paths) {
    const body = JSON.stringify({ requests: Array.from({ length: times }, () => ({ method: 'GET', path })) })
    const name = `a batch of ${times} ${path}`
    yield { name, method: 'POST', path: `/${NAMESPACE}/batch`, headers: JSON_TYPE, body }
  }
}

/** Messages of an assistant. */
export function* assistants(): Generator<Attack> {
  const send = (label: string, method: string, params: object): Attack => ({
    name: `assistant ${label}`,
    method: 'POST',
    path: '/mcp',
    headers: JSON_TYPE,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const call = (label: string, name: string, given: object) => send(label, 'tools/call', { name, arguments: given })
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
  yield send('tools', 'tools/list', {})
  for (const per_page of [50, 100, 500])
    yield call(`results ${per_page}`, 'search_events', { per_page, start_date: '0001-01-01', end_date: '9999-12-31' })
  for (const count of [4900, 19_000]) {
    yield call(`arguments ${count}`, 'search_events', many(count))
    yield send(`capabilities ${count}`, 'initialize', { capabilities: { experimental: many(count) } })
    yield call(`tags ${count}`, 'create_event', { title: 'x', tags: Object.keys(many(count)) })
  }
}
