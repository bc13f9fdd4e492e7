import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Parser } from 'htmlparser2'
import { API } from '../support/answers.ts'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { signIn } from '../support/staff.ts'

/** Ends every context of a page in which a text can be written: attributes, elements, raw texts, comments. */
const HOSTILE = `N " onmarker=1 ' onmarker=1 \`><marker onmarker="1">&lt;marker onmarker=1&gt;&quot; onmarker=1 x=&#34;</script></title></textarea></style>--><marker>`
/** Ends every attribute of an allowed element. */
const LINKS = ['&quot; onmarker=&quot;1', "' onmarker='1", '&#34;&gt;&lt;marker&gt;', '&amp;quot; onmarker=1'].map(
  (value) => `<p title="${value}" lang='${value.replaceAll("'", '&#39;')}' class="${value}" onmarker=1>
<a href="/x?${value}" target="${value}" rel="${value}">x</a><img src="https://example.org/${value}" alt="${value}" title="${value}">
<time datetime="${value}">t</time><ol start="${value}"><lilt;/script&gt;&lt;marker onmarker=1&gt;<ol start="${value}"><li dir="${value}">1</li></ol></p><table><tr><th scope="${value}" colspan="${value}">t</th></tr></table>`,
)
const WHEN = { start_date: '2031-06-10 10:00:00', end_date: '2031-06-10 12:00:00' }

/** Tags and attributes that a text has brought along. */
function markersIn(html: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag(name, attributes) {
      for (const one of [name, ...Object.keys(attributes)]) if (one.includes('marker')) found.push(`${name} ${one}`)
    },
  })
  parser.end(html)
  return found
}

/** All texts of an answer in JSON. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The texts of a feed that readers show as HTML. */
function htmlOf(feed: string, url: string): string[] {
  if (url.endsWith('.json')) return JSON.parse(feed).items.map((item: Json) => item.content_html)
  const texts: string[] = []
  let text = ''
  new Parser(
    {
      onopentag: () => (text = ''),
      ontext: (more) => (text += more),
      onclosetag: (name) => /^(description|content:encoded|content)$/.test(name) && texts.push(text),
    },
    { xmlMode: true, decodeEntities: true },
  ).end(feed)
  return texts
}

describe('what people wrote brings neither tags nor attributes of its own', () => {
  let service: Service
  let ids: Record<string, number>
  let paths: string[]
  let cookie: string
  before(async () => {
    service = await startService({ clock })
    const texts = { description: HOSTILE + LINKS.join('') }
    const make = (path: string, json: object) => service.expect(201, 'editor', path, { json: { ...texts, ...json } })
    const address = { address: HOSTILE, city: HOSTILE, stateprovince: HOSTILE, phone: HOSTILE, zip: '1' }
    const venue = await make('/venues', { venue: HOSTILE, ...address })
    const organizer = await make('/organizers', { organizer: HOSTILE, phone: HOSTILE })
    const category = await make('/categories', { name: HOSTILE, slug: 'music' })
    const tag = await make('/tags', { name: HOSTILE, slug: 'new' })
    const event: Json = await make('/events', {
      ...WHEN,
      title: HOSTILE,
      excerpt: HOSTILE + LINKS.join(''),
      cost: HOSTILE,
      venue: venue.id,
      organizer: organizer.id,
      categories: [category.id],
      tags: [tag.id],
    })
    ids = { events: event.id, venues: venue.id, organizers: organizer.id, categories: category.id, tags: tag.id }
    const path = (url: string) => new URL(url).pathname
    paths = [path(event.url), path(venue.url), path(organizer.url), '/events/category/music/', '/tag/new/']
    cookie = (await signIn(service, 'editor')).cookie
  })
  after(() => service.close())

  async function page(url: string, headers: Record<string, string> = {}): Promise<string> {
    const { statusCode, body } = await service.inject({ url, headers })
    assert.equal(statusCode, 200, `${url}: ${body.slice(0, 300)}`)
    return body
  }

  it('on pages', async () => {
    const lists = ['/', '/events/', '/events/month/2031-06/', '/events/week/2031-06-10/', '/events/day/2031-06-10/']
    for (const url of [...paths, ...lists, `/events/?search=${encodeURIComponent(HOSTILE)}`]) {
      const body = await page(url)
      assert.ok(body.includes('marker'), url)
      assert.deepEqual(markersIn(body), [], url)
    }
  })

  it('on screens', async () => {
    for (const [section, id] of Object.entries(ids))
      for (const url of [`/manage/${section}`, `/manage/${section}/${id}`]) {
        const body = await page(url, { cookie })
        assert.ok(body.includes('marker'), url)
        assert.deepEqual(markersIn(body), [], url)
      }
  })

  it('in feeds', async () => {
    for (const url of ['/events.rss', '/events.atom', '/events.json']) {
      const texts = htmlOf(await page(url), url)
      assert.ok(
        texts.some((text) => text.includes('marker')),
        url,
      )
      assert.deepEqual(
        texts.filter((text) => markersIn(text).length > 0),
        [],
        url,
      )
    }
  })

  it('in answers of the REST interface, whose titles and names may stand in an attribute, too', async () => {
    for (const [path, id] of Object.entries(ids)) {
      const record: Json = JSON.parse(await page(`${API}/${path}/${id}`))
      const { title, venue, organizer, name, cost } = record
      const names = [title, venue, organizer, name, cost].filter((one) => typeof one === 'string')
      assert.ok(names.length > 0, path)
      assert.deepEqual(
        [...textsOf(record), ...names.map((one) => `<p title="${one}" lang='${one}'>`)].filter(
          (text) => markersIn(text).length > 0,
        ),
        [],
        path,
      )
    }
  })
})
