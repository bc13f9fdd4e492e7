import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { clock, fillCalendar, HOSTILE, type Sample } from '../support/calendar.ts'
import { basic, type Service, startService } from '../support/service.ts'

const HTML = { accept: 'text/html,application/xhtml+xml' }

describe('pages', () => {
  let service: Service
  let sample: Sample
  before(async () => {
    service = await startService({ clock })
    sample = await fillCalendar(service)
  })
  after(() => service.close())

  const get = (url: string, headers: Record<string, string> = {}) =>
    service.inject({ url, headers: { ...HTML, 'accept-language': 'en', ...headers } })
  const post = (url: string, password: string) =>
    service.inject({
      method: 'POST',
      url,
      headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ password }).toString(),
    })
  const all = () => [
    '/',
    '/events/',
    `/events/?search=${encodeURIComponent(HOSTILE)}`,
    '/events/month/2031-06/',
    '/events/week/2031-06-11/',
    '/events/day/2031-06-11/',
    '/events/map/',
    sample.hostile,
    ...Object.values(sample.places),
    '/event/secret-supper/',
    '/event/harbour-concert/',
    '/nothing/here',
    '/docs',
  ]

  it('are where the url of every record leads', async () => {
    const { events } = await service.expect(200, null, '/events', { query: { per_page: 50 } })
    const urls = new Set<string>()
    for (const event of events) {
      if (event.title === 'Secret Supper') continue
      const linked = [event, ...[event.venue].flat(), ...event.organizer, ...event.categories, ...event.tags]
      for (const { url } of linked) urls.add(url)
    }
    assert.ok(urls.size > 40)
    for (const url of urls) {
      const response = await get(new URL(url).pathname)
      assert.equal(response.statusCode, 200, url)
      assert.match(String(response.headers['content-type']), /^text\/html/)
      assert.ok(response.body.includes(`<link rel="canonical" href="${url}">`), url)
    }
  })

  it('escape hostile titles, names, descriptions and searches, all of them', async () => {
    const shown = [
      sample.hostile,
      ...Object.values(sample.places),
      '/events/',
      '/events/map/',
      '/events/month/2031-06/',
    ]
    for (const url of shown) assert.ok((await get(url)).body.includes('&lt;script&gt;alert(1)&lt;/script&gt;'), url)
    for (const url of all()) {
      const { body, headers } = await get(url)
      const tags = [...body.matchAll(/<[a-z][^>]*>/gi)].map(([tag]) => tag)
      for (const tag of tags) {
        const bare = tag.replace(/"[^"]*"/g, '""')
        assert.doesNotMatch(bare, /\son\w+\s*=|'/i, `${url}: ${tag}`)
        if (/^<script/i.test(tag))
          assert.match(tag, /^<script (type="module" src="|src="|type="application\/ld\+json">)/)
        assert.doesNotMatch(tag, /(href|src|action)="\s*(javascript|data):/i, url)
      }
      assert.doesNotMatch(body, /<script>alert|<img src=x/, url)
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/, url)
      assert.doesNotMatch(body, /\sstyle=|<style/, url)
    }
  })

  it('describe records for machines in an element that nothing breaks out of', async () => {
    for (const url of [sample.hostile, sample.places.venue, sample.places.organizer]) {
      const { body } = await get(url)
      const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(body) ?? []
      assert.doesNotMatch(json, /[<>&\u2028\u2029]/)
      assert.ok(JSON.parse(json).name.includes(HOSTILE.slice(0, 40)), url)
    }
  })

  it('keep descriptions from asking others for images and from using the page’s own styles', async () => {
    const { body } = await get('/event/harbour-concert/')
    assert.ok(body.includes('<a href="https://elsewhere.example/x.png" rel="noreferrer">by the sea</a>'))
    assert.ok(body.includes('<h2>Loud</h2>'))
    assert.equal(body.match(/class="skip"/g)?.length, 1)
  })

  it('say where images of every size lie, and how much room they take', async () => {
    const { body } = await get('/event/harbour-concert/')
    const [tag = ''] = /<img src="\/images\/[^>]*>/.exec(body) ?? []
    assert.match(tag, /width="1200" height="800"/)
    assert.match(tag, /srcset="[^"]*-300x200\.jpg 300w, [^"]*-1024x683\.jpg 1024w, [^"]*\.jpg 1200w"/)
    const [address = ''] = /\/images\/[\w.-]+/.exec(tag) ?? []
    assert.equal((await get(address)).statusCode, 200)
  })

  it('answer what is wrong with an address by its status, as a page', async () => {
    const statuses: Record<string, number> = {
      '/nothing/': 404,
      '/event/no-such/': 404,
      '/venue/no-such/': 404,
      '/organizer/no-such/': 404,
      '/tag/no-such/': 404,
      '/events/category/no/such/': 404,
      '/events/category/': 404,
      '/events/?tag=no-such': 404,
      '/events/?venue=no-such': 404,
      '/events/?page=99': 404,
      '/events/?page=0': 400,
      '/events/?page=x': 400,
      '/events/?start_date=tomorrow': 400,
      '/events/?start_date=2031-02-30': 400,
      '/events/?start_date=2031-02-03&end_date=2031-02-01': 400,
      '/events/?search=%00': 400,
      '/events/month/2031-13/': 400,
      '/events/month/x/': 400,
      '/events/week/2031-02-30/': 400,
      '/events/day/0000-01-01/': 400,
      '/events/month/2001-01/': 404,
      '/events/day/2300-01-01/': 404,
    }
    for (const [url, status] of Object.entries(statuses)) {
      const response = await get(url)
      assert.equal(response.statusCode, status, url)
      assert.match(String(response.headers['content-type']), /^text\/html/, url)
      assert.match(response.body, /<meta name="robots" content="noindex">/, url)
    }
  })

  it('leave errors to programs as they are', async () => {
    for (const [url, accept] of [
      ['/nothing', '*/*'],
      ['/calendar/events/v1/nothing', 'text/html'],
    ] as const) {
      const response = await service.inject({ url, headers: { accept } })
      assert.equal(response.json().code, 'rest_no_route')
    }
  })

  it('lead from other spellings of an address to the one', async () => {
    const { pathname } = new URL(
      (await service.expect(200, null, '/categories', { query: { slug: 'markets' } })).categories[0].url,
    )
    const spelled: Record<string, string> = {
      '/event/Harbour-Concert/?a=b': '/event/harbour-concert/?a=b',
      '/fr/event/HARBOUR-concert': '/fr/event/harbour-concert/',
      '/venue/HARBOUR-HALL/': '/venue/harbour-hall/',
      '/events/category/wrong/markets/': pathname,
    }
    for (const [url, location] of Object.entries(spelled)) {
      const response = await get(url)
      assert.deepEqual([response.statusCode, response.headers.location], [301, location], url)
    }
  })

  it('ask machines not to list what holds nothing of its own', async () => {
    const hidden = async (url: string) => /content="noindex"/.test((await get(url)).body)
    assert.equal(await hidden('/events/'), false)
    assert.equal(await hidden('/events/month/2031-06/'), false)
    assert.equal(await hidden('/events/?search=harbour'), true)
    assert.equal(await hidden('/events/month/2034-06/'), true)
    assert.equal(await hidden('/events/day/2031-06-09/?category=markets'), true)
  })

  it('come to an end for whoever follows every link', async () => {
    const links = async (url: string) => [...(await get(url)).body.matchAll(/rel="(prev|next)"/g)].map(([, rel]) => rel)
    assert.deepEqual(await links('/events/month/2031-06/'), ['prev', 'next'])
    assert.deepEqual(await links('/events/month/2041-12/'), ['prev'])
    assert.deepEqual(await links('/events/month/2011-01/'), ['next'])
  })

  it('keep the language of their address, and name the others', async () => {
    const { body } = await get('/fr/events/month/2031-06/')
    assert.match(body, /<html lang="fr">/)
    assert.match(body, /<h1>Juin 2031<\/h1>/)
    assert.match(body, /href="\/fr\/event\/harbour-concert\/"/)
    assert.doesNotMatch(body, /href="\/event\//)
    for (const language of ['en', 'fr', 'de', 'es'])
      assert.ok(
        body.includes(
          `hreflang="${language}" href="http://calendar.example.org:8080/${language}/events/month/2031-06/"`,
        ),
      )
  })

  it('speak every language without a gap', async () => {
    for (const language of ['en', 'fr', 'de', 'es'])
      for (const url of all()) {
        const { body } = await get(`/${language}${url}`)
        const left = body.match(/[>"]pages\.[a-z_.]+[<"]|\{(?!when|zone)[a-z_]+\}/g) ?? []
        // The documentation names the variable parts of paths so.
        const unfilled = url === '/docs' ? left.filter((part) => !/^\{(id|slug|delivery|version)\}$/.test(part)) : left
        assert.deepEqual(unfilled, [], `${language} ${url}`)
      }
  })

  it('show to each reader what the REST interface shows them', async () => {
    const as = (role: string) => ({ authorization: basic(role) })
    assert.equal((await get('/event/unfinished/')).statusCode, 404)
    assert.equal((await get('/event/unfinished/', as('subscriber'))).statusCode, 404)
    assert.equal((await get('/event/unfinished/', as('author'))).statusCode, 200)
    assert.doesNotMatch((await get('/events/')).body, /Unfinished/)
    assert.match((await get('/events/', as('editor'))).body, /Unfinished/)
    assert.equal((await get('/events/', as('nobody'))).statusCode, 401)
    const { body } = await get('/events/', as('editor'))
    assert.match(body, /Draft/)
  })

  it('show of a protected event its title and dates alone, in every view', async () => {
    for (const url of [
      '/events/',
      '/events/month/2031-06/',
      '/events/week/2031-06-12/',
      '/events/day/2031-06-12/',
      '/event/secret-supper/',
    ]) {
      const { body } = await get(url)
      assert.match(body, /Secret Supper/, url)
      assert.doesNotMatch(body, /Oysters|Hidden Cellar/, url)
    }
  })

  it('open a protected event for its password, which is kept nowhere', async () => {
    const closed = await get('/event/secret-supper/')
    assert.equal(closed.statusCode, 403)
    assert.match(closed.body, /<form[^>]* method="post" action="\/event\/secret-supper\/"/)
    const wrong = await post('/event/secret-supper/', 'open')
    assert.equal(wrong.statusCode, 403)
    assert.match(wrong.body, /role="alert"/)
    const opened = await post('/event/secret-supper/', 'sesame')
    assert.equal(opened.statusCode, 200)
    assert.match(opened.body, /Oysters/)
    assert.doesNotMatch(opened.body, /sesame|application\/ld\+json/)
    for (const { headers } of [closed, wrong, opened]) assert.equal(headers['cache-control'], 'private, no-store')
  })

  it('filter by category, tag, venue, organizer, featured, dates and words', async () => {
    const titles = async (search: string) =>
      [...(await get(`/events/?${search}`)).body.matchAll(/<h4><a [^>]*>([^<]*)</g)].map(([, title]) => title)
    assert.deepEqual(await titles('category=music'), ['Harbour Concert'])
    assert.deepEqual(await titles('tag=open-air'), ['Harbour Concert'])
    assert.deepEqual(await titles('organizer=jazz-guild'), ['Harbour Concert'])
    assert.deepEqual(await titles('venue=harbour-hall'), ['أمسية شعرية', 'Harbour Concert'])
    assert.deepEqual((await titles('featured=1')).length, 2)
    assert.deepEqual(await titles('start_date=2031-06-13&end_date=2031-06-13'), ['Street Festival'])
    assert.deepEqual(await titles('search=HARBOUR+conc'), ['Harbour Concert'])
    assert.equal((await titles('category=markets')).length, 20)
    assert.equal((await titles('category=markets&page=2')).length, 10)
  })

  it('show events on each of their days, and those that began before apart', async () => {
    const { body: list } = await get('/events/')
    assert.match(list, /class="running".*Exhibition of Light.*<\/section>/s)
    const { body: month } = await get('/events/month/2031-06/')
    assert.equal(month.match(/Street Festival<\/span>/g)?.length, 3)
    const { body: day } = await get('/events/day/2031-06-14/')
    assert.match(day, /Street Festival/)
    assert.doesNotMatch((await get('/events/day/2031-06-16/')).body, /Street Festival/)
  })

  it('keep filters on the way from a month or a week to its days', async () => {
    for (const view of ['month/2031-06', 'week/2031-06-12']) {
      const { body } = await get(`/events/${view}/?category=music`)
      assert.ok(body.includes('href="/events/day/2031-06-12/?category=music"'), view)
      assert.doesNotMatch(body, /href="\/events\/day\/[\d-]+\/"/)
    }
  })

  it('are found through a sitemap that names all that is public', async () => {
    const index = await get('/sitemap.xml')
    assert.match(String(index.headers['content-type']), /^application\/xml/)
    const parts = [...index.body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname)
    const bodies = await Promise.all(parts.map(async (path) => (await get(path)).body))
    const urls = bodies.flatMap((body) => [...body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url = '']) => url))
    const paths = urls.map((url) => new URL(url).pathname)
    for (const path of [
      '/',
      '/event/harbour-concert/',
      '/venue/harbour-hall/',
      '/organizer/jazz-guild/',
      '/tag/open-air/',
      '/events/category/music/',
      '/event/long-ago/',
      sample.places.category,
    ])
      assert.ok(paths.includes(path), path)
    assert.ok(!paths.some((path) => /secret|unfinished/.test(path)))
    assert.equal(new Set(paths).size, paths.length)
    for (const url of ['/sitemap/events-x.xml', '/sitemap/constructor-0.xml', '/sitemap/x.xml'])
      assert.equal((await get(url)).statusCode, 404, url)
    const robots = await get('/robots.txt')
    assert.match(robots.body, /^Sitemap: http:\/\/calendar\.example\.org:8080\/sitemap\.xml$/m)
  })

  it('are packed for readers who can unpack them', async () => {
    const coding = async (accepted: string, url = '/events/') =>
      (await get(url, { 'accept-encoding': accepted })).headers['content-encoding']
    assert.equal(await coding('gzip, deflate, br'), 'br')
    assert.equal(await coding('gzip'), 'gzip')
    assert.equal(await coding('br;q=0, gzip;q=0.5'), 'gzip')
    assert.equal(await coding(''), undefined)
    assert.equal(await coding('br', '/event/secret-supper/'), undefined)
    const { headers, rawPayload } = await get('/events/', { 'accept-encoding': 'br' })
    assert.match(String(headers.vary), /Accept-Encoding/)
    assert.equal(brotliDecompressSync(rawPayload).toString(), (await get('/events/')).body)
  })

  it('name files by what is in them, which may be kept for good', async () => {
    const { body } = await get('/')
    const files = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    assert.ok(files.length >= 6)
    for (const path of files) {
      const response = await get(path)
      assert.equal(response.statusCode, 200, path)
      assert.match(String(response.headers['cache-control']), /immutable/, path)
    }
    const [style = ''] = files.filter((path) => /pages\..*css/.test(path))
    const other = await get(style.replace(/\.[\da-f]{10}\./, '.0000000000.'))
    assert.deepEqual([other.statusCode, other.headers['cache-control']], [200, 'public, max-age=3600'])
    assert.equal((await get('/assets/..%2fpackage.json')).statusCode, 404)
  })
})

describe('pages of an organisation', () => {
  it('have its name, logo, colours, styles and tiles', async () => {
    const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs')
    const folder = mkdtempSync('/tmp/kalends-design-')
    writeFileSync(`${folder}/logo.svg`, '<svg xmlns="http://www.w3.org/2000/svg"/>')
    writeFileSync(`${folder}/own.css`, 'h1{color:red}')
    const service = await startService({
      clock,
      settings: {
        siteName: 'Town & Country',
        logo: `${folder}/logo.svg`,
        accent: '#ff0',
        stylesheet: `${folder}/own.css`,
        tiles: 'https://tiles.example.org/{z}/{x}/{y}.png',
        baseUrl: 'https://example.org/whats-on',
      },
    })
    try {
      await fillCalendar(service)
      const { body, headers } = await service.inject({ url: '/events/map/', headers: HTML })
      assert.match(body, /Town &amp; Country/)
      assert.match(body, /src="\/whats-on\/assets\/logo\.[\da-f]{10}\.svg"/)
      assert.ok(body.indexOf('custom.') > body.indexOf('theme.'))
      assert.match(body, /<image href="https:\/\/tiles\.example\.org\/\d+\/\d+\/\d+\.png"/)
      assert.match(String(headers['content-security-policy']), /img-src 'self' https:\/\/tiles\.example\.org;/)
      assert.match(body, /href="\/whats-on\/events\/month\/"/)
      const [theme = ''] = /\/assets\/theme\.\w+\.css/.exec(body) ?? []
      const { body: colours } = await service.inject({ url: theme })
      assert.doesNotMatch(colours.split('@media')[0] ?? '', /--accent:#ffff00/)
    } finally {
      await service.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('guessing the password of an event', () => {
  it('is slowed down like guessing that of a user', async () => {
    const service = await startService({ clock, settings: { loginLimit: '3', rateLimitLoopback: 'yes' } })
    try {
      await service.expect(201, 'editor', '/events', {
        json: { title: 'Locked', start_date: '2031-06-12', end_date: '2031-06-12', password: 'sesame' },
      })
      const guess = async (password: string) =>
        (
          await service.inject({
            method: 'POST',
            url: '/event/locked/',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            payload: `password=${password}`,
          })
        ).statusCode
      assert.deepEqual(
        [await guess('sesame'), await guess('a'), await guess('b'), await guess('c')],
        [200, 403, 403, 403],
      )
      assert.equal(await guess('sesame'), 429)
      assert.equal((await service.inject({ url: '/event/locked/' })).statusCode, 403)
    } finally {
      await service.close()
    }
  })
})
