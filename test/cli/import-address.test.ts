import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ReplayedSite, SITE_PASSWORD } from '../support/replayed-site.ts'
import { NewHome } from '../support/site-import.ts'

const ICS = `BEGIN:VCALENDAR
BEGIN:VEVENT
UID:a
SUMMARY:From a calendar
DTSTART:20310610T190000Z
END:VEVENT
END:VCALENDAR
`
const CSV = 'Event Name,Event Start Date,Event Start Time\nFrom a table,2031-06-10,7:00 PM\n'

interface Answer {
  readonly status?: number
  readonly type?: string
  readonly link?: string
  readonly body: string | Buffer
}

describe('kalends import of an address', () => {
  const site = new ReplayedSite()
  let server: Server
  let home: NewHome
  let old: string
  let here: string
  let asked: { readonly url: string; readonly authorization: string | undefined }[] = []
  let answers: Record<string, Answer> = {}

  before(async () => {
    home = await NewHome.make()
    old = await site.listen()
    server = createServer(({ url = '', headers }, response) => {
      asked.push({ url, authorization: headers.authorization })
      const { status = 200, type, link, body } = answers[url] ?? { status: 404, body: 'nothing' }
      response.writeHead(status, { ...(type && { 'content-type': type }), ...(link && { link }) }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  beforeEach(() => {
    asked = []
    answers = {}
  })
  after(() => {
    site.close()
    server.close()
    home.close()
  })

  const titles = async () => (await home.rows('events')).map(({ title }) => title)

  it('is a calendar if it answers one, whatever its spelling and type are, and is asked once', async () => {
    const utf16 = Buffer.from(`\ufeff${ICS}`, 'utf16le')
    const calendars: [path: string, answer: Answer][] = [
      ['/?ical=1', { type: 'text/calendar; charset=UTF-8', body: ICS }],
      ['/events/list/?ical=1', { type: 'text/html', body: `\ufeff\r\n${ICS}` }],
      ['/wp-json/tribe/events/v1', { type: 'application/octet-stream', body: ICS }],
      ['/feed.csv', { body: ICS.toLowerCase().replace('dtstart', 'DTSTART') }],
      ['/warning', { type: 'text/calendar', body: `<br />\n<b>Warning</b>: x\n${ICS}` }],
      ['/utf-16', { type: 'text/calendar', body: utf16 }],
    ]
    for (const [path, answer] of calendars) {
      answers = { [path]: answer }
      asked = []
      const { code, out, err } = await home.run(`${here}${path}`, ['--dry-run'])
      assert.equal(code, 0, `${path}: ${err}`)
      assert.match(out, /^Would be: 1 created/m, path)
      assert.deepEqual(
        asked.map(({ url }) => url),
        [path],
      )
    }
    answers = { '/?ical=1': { type: 'text/calendar', body: ICS } }
    assert.match((await home.run(`${here}/?ical=1`)).out, /^1 created/m)
    assert.match((await home.run(`${here}/?ical=1`, ['--adopt'])).out, /1 unchanged/)
    assert.ok((await titles()).includes('From a calendar'))
  })

  it('is a table if it answers one', async () => {
    for (const [path, type] of [
      ['/export', 'text/csv'],
      ['/export.ics', 'text/plain'],
      ['/?download', 'application/vnd.ms-excel'],
      ['/wrong', 'text/html'],
    ] as const) {
      answers = { [path]: { type, body: CSV } }
      const { code, out, err } = await home.run(`${here}${path}`, ['--dry-run'])
      assert.equal(code, 0, `${path}: ${err}`)
      assert.match(out, /^Would be: 1 created/m, path)
    }
    answers = { '/odd': { type: 'text/csv', body: 'Colour;Size\nred;5\n' } }
    const { code, err } = await home.run(`${here}/odd`)
    assert.equal(code, 1)
    assert.match(err, /no column "title", "start_date"\. Its columns are: Colour, Size/)
  })

  it('is a site if it answers a page or an index that leads to the interface of one', async () => {
    const api = `${old}/wp-json/`
    const pages: Record<string, Answer> = {
      'a link in the page': {
        type: 'text/html',
        body: `<!doctype html><html><head><link rel="https://api.w.org/" href="${api}" /></head>`,
      },
      'a link in another order': {
        type: 'text/html',
        body: `<html><head><link href='${old}/?rest_route=/' rel='https://api.w.org/'></head>`,
      },
      'a link in a header': { type: 'text/html', link: `<${api}>; rel="https://api.w.org/"`, body: '<html>' },
      'a script that names it': {
        type: 'text/html',
        body: `<html><script>{"rest":"${`${api}tribe/events/v1/`.replaceAll('/', '\\/')}"}</script>`,
      },
    }
    for (const [name, answer] of Object.entries(pages)) {
      answers = { '/events/': answer }
      const { code, out, err } = await home.run(`${here}/events/`, ['--dry-run'])
      assert.equal(code, 0, `${name}: ${err}`)
      assert.match(out, /^Would be: 10 created/m, name)
    }
    const list = await home.run(`${old}/wp-json/tribe/events/v1/events?per_page=2`, ['--dry-run'])
    assert.match(list.out, /^Would be: 10 created/m, list.err)
    const index = JSON.stringify({ name: 'Old', namespaces: ['oembed/1.0', 'tribe/events/v1'], routes: {} })
    site.fault = (url, _, response) => {
      if (url.pathname !== '/wp-json/') return false
      response.writeHead(200, { 'content-type': 'application/json' }).end(index)
      return true
    }
    const root = await home.run(`${old}/wp-json/`, ['--dry-run'])
    site.fault = () => false
    assert.match(root.out, /^Would be: 10 created/m, root.err)
    const adopted = await home.run(`${old}/wp-json/tribe/events/v1`, ['--adopt'])
    assert.match(adopted.err, /--adopt is for calendars and tables/)
  })

  it('gets no password that was given for another host', async () => {
    answers = {
      '/': { type: 'text/html', body: `<html><link rel="https://api.w.org/" href="${old}/wp-json/">` },
    }
    const before = site.asked.length
    const { code, err } = await home.run(`${here}/`, ['--site-user', 'editor'], {
      KALENDS_SITE_PASSWORD: SITE_PASSWORD,
    })
    assert.equal(code, 1)
    assert.match(err, /leads to .*: give that address itself/)
    assert.equal(site.asked.length, before)
  })

  it('is named with its status and type if it answers anything else', async () => {
    answers = {
      '/page': { type: 'text/html; charset=utf-8', body: '<!doctype html><p>Hello</p>' },
      '/json': { type: 'application/json', body: '{"a":1}' },
      '/image': { type: 'image/png', body: Buffer.from('89504e470d0a1a0a00', 'hex') },
      '/bare': { body: 'hello' },
      '/gone': { status: 410, type: 'text/plain', body: ICS },
      '/empty': { type: 'text/calendar', body: '' },
    }
    for (const [path, told] of [
      ['/page', '200 (text/html)'],
      ['/json', '200 (application/json)'],
      ['/image', '200 (image/png)'],
      ['/bare', '200 (no content type)'],
      ['/gone', '410 (text/plain)'],
      ['/nothing', '404 (no content type)'],
      ['/empty', '200 (text/calendar)'],
    ] as const) {
      const { code, err } = await home.run(`${here}${path}`)
      assert.equal(code, 1, path)
      assert.ok(err.includes(`answered ${told}`), `${path}: ${err}`)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
    const closed = await home.run(`${here}/?ical=1`, [], { KALENDS_FETCH_HOSTS: '' })
    assert.match(closed.err, /may not be fetched.*KALENDS_FETCH_HOSTS/)
  })
})
