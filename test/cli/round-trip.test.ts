import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../support/commands.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const OLD = 'https://old.example.org'
const NEW = 'https://new.example.org'

/** Names that a careless writer or reader would cut, part, join, decode or run. */
const NAMES = [
  'Semicolons; commas, colons: "quotes" \'and\' back\\slashes \\n \\,',
  'Emoji 👩‍👩‍👧‍👦 🎷🏳️‍🌈 and letters that fold in the middle: ééééééééééééééééééééééééé日本語日本語日本語日本語日本語',
  'מסיבה בתל אביב ‏(كل يوم)‏ Ω',
  'a &lt;b&gt;bold&lt;/b&gt; 1 &lt; 2 &amp;amp; 3 &amp;lt; 4',
  '=HYPERLINK("x")',
  "'=quoted",
  'BEGIN:VEVENT',
  'Two\nlines\tand a tab',
  'one | two || three',
  `${'Long; title & "quotes" '.repeat(21)}end`,
]

const HTML = `<p>First; line, with \\n a backslash<br />
second line &amp; <b>bold</b> &lt;i&gt; שלום 🎷</p>
<ul><li>one</li><li>two: <a href="https://example.org/?a=1&amp;b=2;c">link</a></li></ul>
<p>BEGIN:VEVENT</p>`

const venue = (name: string) => ({
  venue: name,
  description: HTML,
  address: '1, Rue de "l\'Été"; 2nd floor',
  city: 'Zürich, "ZH"',
  country: 'Schweiz; Suisse',
  province: 'P, q',
  state: 'S; t',
  stateprovince: 'S/P',
  zip: '08001',
  phone: '+41 (0)44 123 45 67; ext. 8',
  website: 'https://example.org/hall?a=1,2;3',
  geo_lat: -33.856789123,
  geo_lng: 151.215296,
  show_map: false,
  show_map_link: true,
})

/** Events with every field; the first ones are parts of the last, so that they come before it. */
async function fill({ expect }: Service): Promise<void> {
  const create = (path: string, json: object) => expect(201, 'administrator', path, { json })
  const top = await create('/categories', { name: 'Arts, all; "of" them', slug: 'the-arts', description: HTML })
  const middle = await create('/categories', { name: 'Music', slug: 'm', parent: top.id, description: '' })
  const leaf = await create('/categories', { name: 'Jazz &amp; "Blues" 🎷', parent: middle.id })
  const other = await create('/categories', { name: 'Talks', slug: 'talking' })
  const twin = await create('/categories', { name: 'Music', slug: 'talks-on-music', parent: other.id })
  const tag = await create('/tags', { name: 'free, as in beer', slug: 'gratis', description: '<b>no</b> cost' })
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC+5.5', 'Pacific/Apia']
  let last = null
  for (const [n, name] of NAMES.entries()) {
    last = await create('/events', {
      title: name,
      start_date: `2031-06-${10 + n} 19:00:01`,
      end_date: `2031-06-${12 + n} 02:30:00`,
      timezone: zones[n % zones.length],
      slug: `own-slug-${n}`,
      description: n % 2 === 0 ? HTML : name,
      excerpt: HTML,
      date_utc: `2020-02-${10 + n} 03:04:05`,
      cost: n % 2 === 0 ? '$5, – $10; "cheap"' : '0',
      website: 'https://example.org/e?a=1,2;3&b=(c)',
      show_map: n % 2 === 0,
      show_map_link: n % 2 === 1,
      hide_from_listings: n % 3 === 0,
      sticky: n % 3 === 1,
      featured: n % 3 === 2,
      categories: [leaf.id, ...(n % 2 === 0 ? [twin.id, other.id] : [top.id])],
      tags: [tag.id, `tag ${name}`],
      venue: [venue(name), { venue: `Bare ${n}` }],
      organizer: [
        {
          organizer: name,
          email: 'a+b@example.org',
          phone: '1;2,3',
          website: 'https://example.org/',
          description: HTML,
        },
        { organizer: `Second, ${n}` },
      ],
      tickets: [
        { name, price: '12.50', currency: 'EUR', url: 'https://example.org/t', capacity: 0 },
        // The same clock time twice: the first one and the second one.
        { name: 'Late', available_from: '2031-10-26T00:30:00Z', available_until: '2031-10-26T01:30:00Z' },
      ],
      ...(last !== null && { parent: last.id }),
    })
  }
  const plain = { start_date: '2030-01-01 10:00', end_date: '2030-01-01 11:00' }
  await create('/events', { title: 'Part', ...plain, parent: last.id })
  await create('/events', { title: 'Nothing else', ...plain, timezone: 'Europe/Berlin' })
  await create('/events', { title: 'No time at all', start_date: '2030-01-02 10:00', end_date: '2030-01-02 10:00' })
  await create('/events', { title: 'A day', start_date: '2030-02-28', end_date: '2030-02-28', all_day: true })
  await create('/events', {
    title: 'Days',
    start_date: '2028-02-28',
    end_date: '2028-03-01',
    all_day: true,
    timezone: 'Asia/Tokyo',
  })
  for (const [n, hour] of ['00:30', '01:30'].entries()) {
    await create('/events', {
      title: `Twice on the clock ${n}`,
      start_date: `2031-10-26T${hour}:00Z`,
      end_date: '2031-10-26T03:00:00Z',
      timezone: 'Europe/Berlin',
    })
  }
  await create('/events', { title: 'Long ago', start_date: '0101-01-01 10:00', end_date: '1850-01-01 10:00' })
  await create('/events', { title: 'At the end', start_date: '9999-12-30', end_date: '9999-12-31', all_day: true })
  await create('/events', { title: 'Scheduled', ...plain, date_utc: '2999-01-01 00:00:00' })
  for (const status of ['draft', 'pending', 'private']) {
    await create('/events', { title: status, ...plain, status, venue: { venue: `In a ${status} hall`, status } })
  }
}

const NOT_KEPT = [
  'id',
  'author',
  'modified',
  'modified_utc',
  'global_id',
  'global_id_lineage',
  'count',
  'urls',
  'json_ld',
]

/** An answer without what is each site's own; parents are told by their slugs. */
function bare(value: Json, slugs: ReadonlyMap<number, string>): Json {
  if (typeof value === 'string') return value.replace(OLD, NEW)
  if (Array.isArray(value)) return value.map((one) => bare(one, slugs))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NOT_KEPT.includes(name) && name !== 'rest_url')
      .map(([name, one]) => [name, name === 'parent' ? slugs.get(Number(one)) : bare(one, slugs)]),
  )
}

/** Everything that a site has, by name. */
async function all({ expect }: Service): Promise<Record<string, Json[]>> {
  const found: Record<string, Json[]> = {}
  for (const kind of ['events', 'venues', 'organizers', 'categories', 'tags']) {
    const status = 'publish,future,draft,pending,private'
    const dates = { start_date: '0001-01-01', end_date: '9999-12-31' }
    const isTerm = kind === 'categories' || kind === 'tags'
    found[kind] = []
    for (let page = 1; ; page++) {
      const query = {
        per_page: 50,
        page,
        ...(isTerm ? { hide_empty: false } : { status }),
        ...(kind === 'events' && dates),
      }
      const answer = await expect(200, 'administrator', `/${kind}`, { query })
      found[kind].push(...answer[kind])
      if (page >= answer.total_pages) break
    }
  }
  return found
}

async function everything(service: Service): Promise<Record<string, Json>> {
  const found = await all(service)
  // Lists leave out what is hidden from them.
  for (const n of NAMES.keys()) {
    const one = await service.expect(200, 'administrator', `/events/by-slug/own-slug-${n}`)
    if (one.hide_from_listings) found.events?.push(one)
  }
  const shown: Record<string, Json> = {}
  for (const [kind, list] of Object.entries(found)) {
    const slugs = new Map((kind === 'events' ? list : (found.categories ?? [])).map(({ id, slug }) => [id, slug]))
    const categories = new Map((found.categories ?? []).map(({ id, slug }) => [id, slug]))
    for (const one of list) {
      const { parent, ...rest } = one
      const { modified: _, ...told } = bare(rest, categories)
      shown[`${kind} ${one.slug}`] = { ...told, ...(parent && { parent: slugs.get(parent) }) }
    }
  }
  return shown
}

async function kalends(...args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(args)
  assert.equal(code, 0, err)
  return out + err
}

describe('what is exported and imported', { skip: ON_POSTGRES && 'needs the embedded database' }, () => {
  let folder: string
  let there: Record<string, Json>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-round-trip-'))
    const old = await startService({
      folder: join(folder, 'old'),
      settings: { baseUrl: OLD, timezone: 'Europe/Paris' },
    })
    await fill(old)
    there = await everything(old)
    await old.close()
  })
  after(() => rmSync(folder, { recursive: true }))

  async function moved(format: 'ics' | 'csv'): Promise<{ told: string; again: string; found: Record<string, Json> }> {
    const file = join(folder, `all.${format}`)
    const from = ['--data', join(folder, 'old'), '--base-url', OLD, '--timezone', 'Europe/Paris']
    await kalends('export', '--format', format, '--all', '--output', file, ...from)
    const settings = { baseUrl: NEW, timezone: 'Europe/Paris' }
    const service = await startService({ folder: join(folder, format), settings })
    const here = ['--data', join(folder, format), '--base-url', NEW, '--timezone', 'Europe/Paris']
    const told = await kalends('import', file, ...here)
    const again = await kalends('import', file, ...here)
    const found = await everything(service)
    await service.close()
    return { told, again, found }
  }

  it('is the same in every field as a calendar', async () => {
    const { told, again, found } = await moved('ics')
    assert.doesNotMatch(told, /[1-9]\d* skipped/, told)
    assert.deepEqual(Object.keys(found).sort(), Object.keys(there).sort())
    for (const [name, record] of Object.entries(there)) assert.deepEqual(found[name], record, name)
    assert.match(again, /^0 created, 0 updated/m)
  })

  it('is the same as a table in all that a table has', async () => {
    const { told, again, found } = await moved('csv')
    assert.doesNotMatch(told, /[1-9]\d* skipped/, told)
    // Names in a cell are in one line.
    const names = (list: Json) =>
      [list].flat().map((one: Json) => (one.venue ?? one.organizer ?? one.name).replace(/\s+/g, ' '))
    for (const [name, { tickets: _, ticketed: __, parent: ___, ...record }] of Object.entries(there)) {
      if (!name.startsWith('events')) continue
      const { ticketed: ____, ...own } = found[name] ?? {}
      for (const kind of ['venue', 'organizer', 'categories', 'tags']) {
        record[kind] = [...new Set(names(record[kind]))].sort()
        own[kind] = [...new Set(names(own[kind]))].sort()
      }
      assert.deepEqual(own, record, name)
    }
    assert.match(again, /^0 created, 0 updated/m)
  })
})
