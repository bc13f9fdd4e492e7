import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER, openBrowser } from '../support/browser.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const MARKUP = '<img src=x onerror="window.hacked=1"> & "</script>'
const DAY = 86_400_000

/** A site that is not ours, with a style that wants to be everywhere. */
const STYLE = `* { color: rgb(255, 0, 0) !important; font-size: 40px !important; text-transform: uppercase !important; letter-spacing: 9px !important }
  a, button, ul, table, .event, .root { display: none !important }`

/** What the reader's clock shows: in the middle of a month, so that the days around it are in the same grid. */
const NOW = Date.parse('2031-06-10T12:00:00Z')
const siteDay = (days: number) => new Date(NOW + days * DAY).toISOString().slice(0, 10)

describe('the widget on a foreign page', { skip: NO_BROWSER }, () => {
  let service: Service
  let browser: Browser
  let origin: string
  let site: Server
  let siteOrigin: string
  let html = ''
  let policy = ''
  before(async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => taken.once('listening', done))
    const { port } = taken.address() as AddressInfo
    await new Promise((done) => taken.close(done))
    service = await startService({ settings: { baseUrl: `http://127.0.0.1:${port}`, timezone: 'UTC' } })
    origin = await service.listen(port)
    await fillCalendar(service)
    site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      if (policy !== '') response.setHeader('content-security-policy', policy)
      response.end(html)
    }).listen(0, '127.0.0.1')
    await new Promise((done) => site.once('listening', done))
    siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await new Promise((done) => site?.close(done))
    await service?.close()
  })

  interface Opened {
    readonly page: Page
    readonly calendar: Locator
    readonly asked: string[]
    readonly faults: string[]
  }

  async function open(
    inside: string,
    {
      style = '',
      csp = '',
      lang = 'en-GB',
      ...options
    }: { style?: string; csp?: string; lang?: string } & BrowserContextOptions = {},
  ): Promise<Opened> {
    html = `<!doctype html><html lang="${lang}"><head><title>A site</title><meta name="viewport" content="width=device-width">
      ${style && `<style>${style}</style>`}</head><body><main><h1>A site</h1><p id="own">Own words</p>${inside}</main></body></html>`
    policy = csp
    const page = await browser.newPage({ timezoneId: 'UTC', locale: 'en-GB', ...options })
    await page.clock.setFixedTime(NOW)
    const asked: string[] = []
    const faults: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(siteOrigin)
    return { page, calendar: page.locator('kalends-calendar'), asked, faults }
  }

  const script = (options = '') => `<script src="${origin}/embed.js" ${options}></script>`

  it('is small, and any page may load and keep it', async () => {
    const response = await fetch(`${origin}/embed.js`)
    const text = await response.text()
    assert.ok(Buffer.byteLength(text) < 30_000, `${Buffer.byteLength(text)} bytes`)
    assert.match(response.headers.get('content-type') ?? '', /^text\/javascript/)
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.equal(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
    assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=\d+$/)
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await fetch(`${origin}/embed.js`, { headers: { 'if-none-match': etag } })).status, 304)
    // Modules are joined into one scope, in which a second function of a name would silently replace the first.
    const functions = [...text.matchAll(/^(?:async )?function (\w+)/gm)].map(([, name]) => name)
    assert.deepEqual(functions, [...new Set(functions)])
  })

  it('puts a list where its script stands, and asks nobody but the service', async () => {
    const { page, calendar, asked, faults } = await open(`${script('data-limit="3"')}<p id="after">After</p>`)
    await calendar.getByRole('link', { name: 'First concert' }).waitFor()
    assert.equal(await page.locator('script + kalends-calendar + #after').count(), 1)
    assert.equal(
      await calendar.getByRole('link', { name: 'First concert' }).getAttribute('href'),
      `${origin}/event/first-concert/`,
    )
    await calendar.getByText('Still on').waitFor()
    await calendar.getByText('Town Hall & Garden').first().waitFor()
    assert.equal(await calendar.locator('.event').count(), 4)
    assert.ok(
      asked.every((url) => url.startsWith(siteOrigin) || url.startsWith(origin)),
      asked.join('\n'),
    )
    await calendar.getByRole('button', { name: 'More events' }).click()
    await calendar.getByRole('link', { name: 'Fourth concert' }).waitFor()
    assert.equal(await calendar.locator(':focus').textContent(), 'Fourth concert')
    assert.deepEqual(faults, [])
    await page.close()
  })

  it('shows hostile words as the words that they are', async () => {
    const { page, calendar, faults } = await open('')
    // What the service would never answer: markup that is not encoded, and addresses that are scripts.
    await page.context().route(`${origin}/calendar/**`, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as Json
      for (const event of body.events) {
        event.venue = { venue: MARKUP }
        event.cost = MARKUP
        if (event.title === 'First concert') event.title = MARKUP
        else event.url = 'javascript:window.hacked=1'
        event.image = { sizes: { thumbnail: { url: 'javascript:window.hacked=1' } } }
      }
      await route.fulfill({ response, json: body })
    })
    const element = (view: string) => `<kalends-calendar base="${origin}/" view="${view}"></kalends-calendar>`
    await page.evaluate(
      `document.querySelector('main').innerHTML = ${JSON.stringify(element('list') + element('month'))}`,
    )
    await page.addScriptTag({ url: `${origin}/embed.js` })
    await calendar.nth(1).locator('.chip').first().waitFor()
    await calendar
      .nth(1)
      .locator(`[data-day="${siteDay(1)}"]`)
      .click()
    for (const place of [0, 1]) {
      await calendar.nth(place).getByRole('link', { name: MARKUP }).first().waitFor()
      assert.equal(await calendar.nth(place).locator('img, script, [href^="javascript"]').count(), 0)
    }
    const odd = await service.expect(200, null, '/events', { query: { tags: 'odd', start_date: siteDay(0) } })
    assert.match(odd.events[0].title, /&#038;/)
    await calendar.nth(0).getByText('Salt & “Pepper” <3').waitFor()
    assert.equal(await page.evaluate('window.hacked'), undefined)
    assert.deepEqual(faults, [])
    await page.close()
  })

  it('has the font and the colours of the page, no other style of it, and gives it none', async () => {
    const bare = await open('')
    const ownBefore = await bare.page.evaluate(look('document.querySelector("#own")'))
    await bare.page.close()
    const plain = await open(script())
    await plain.calendar.getByRole('link', { name: 'First concert' }).waitFor()
    const title = look('document.querySelector("kalends-calendar").shadowRoot.querySelector(".event a")')
    const expected = String(await plain.page.evaluate(title))
    assert.equal(await plain.page.evaluate(look('document.querySelector("#own")')), ownBefore)
    await plain.page.close()
    assert.match(expected, /^rgb\(0, 0, 0\); 17px; .*Times/)
    const styled = await open(script(), { style: STYLE })
    await styled.calendar.getByRole('link', { name: 'First concert' }).waitFor()
    assert.equal(
      await styled.page.evaluate(title),
      expected
        .replace('rgb(0, 0, 0); 17px', 'rgb(255, 0, 0); 42.5px')
        .replace(/; 1.7px 0px 2.55px;/, '; 4.25px 0px 6.375px;'),
    )
    await styled.page.close()
    const themed = await open(script('data-theme="light"'), { style: `${STYLE} * { font-size: 16px !important }` })
    await themed.calendar.getByRole('link', { name: 'First concert' }).waitFor()
    assert.match(String(await themed.page.evaluate(title)), /^rgb\(34, 38, 46\)/)
    await themed.page.close()
  })

  it('can be read on a dark page, with the links of the page as its accent', async () => {
    const style = `body { background: #101418; color: #f0ead8; font: 18px Georgia, serif } a { color: #ffb454 }`
    const { page, calendar } = await open(script(), { style })
    await calendar.getByRole('link', { name: 'First concert' }).waitFor()
    const read = (selector: string, name: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector("kalends-calendar").shadowRoot.querySelector("${selector}")).${name}`,
      )
    assert.equal(await read('.event a', 'color'), 'rgb(240, 234, 216)')
    assert.match(await read('.event a', 'fontFamily'), /^Georgia/)
    assert.equal(await read('.root', 'colorScheme'), 'dark')
    assert.equal(await read('.root', 'fontSize'), '18px')
    assert.equal(
      await page.evaluate(
        `document.querySelector('kalends-calendar').shadowRoot.querySelector('.root').style.getPropertyValue('--accent')`,
      ),
      'rgb(255, 180, 84)',
    )
    assert.equal(await page.locator('main > a').count(), 0)
    assert.deepEqual(await violationsOf(page), [])
    await page.close()
  })

  it('is an element too, several on a page, and follows its attributes', async () => {
    html = ''
    const { page, calendar } = await open(
      `<kalends-calendar base="${origin}/" category="music"></kalends-calendar><kalends-calendar base="${origin}/" search="fair"></kalends-calendar>${script('data-featured data-limit="50"')}`,
    )
    await calendar.nth(2).getByRole('link', { name: 'First concert' }).waitFor()
    assert.equal(await calendar.count(), 3)
    assert.equal(await calendar.nth(2).locator('.event').count(), 1)
    await calendar.nth(0).getByRole('link', { name: 'Second concert' }).waitFor()
    assert.equal(await calendar.nth(0).getByRole('link', { name: 'Summer fair' }).count(), 0)
    await calendar.nth(1).getByRole('link', { name: 'Summer fair' }).waitFor()
    await page.evaluate('document.querySelector("kalends-calendar").setAttribute("search", "third")')
    await calendar.nth(0).getByRole('link', { name: 'Third concert' }).waitFor()
    await calendar.nth(0).getByRole('link', { name: 'Second concert' }).waitFor({ state: 'detached' })
    await page.close()
  })

  it('shows a month that the keyboard goes through', async () => {
    const { page, calendar, faults } = await open(script('data-view="month"'))
    await calendar.locator('.chip').first().waitFor()
    const chosen = () => calendar.locator('td[aria-selected="true"] button').getAttribute('data-day')
    assert.equal(await chosen(), siteDay(0))
    await calendar.locator('td[aria-selected="true"] button').focus()
    await page.keyboard.press('ArrowDown')
    assert.equal(await chosen(), siteDay(7))
    await page.keyboard.press('ArrowLeft')
    assert.equal(await chosen(), siteDay(6))
    assert.equal(await calendar.locator(':focus').getAttribute('data-day'), siteDay(6))
    await page.keyboard.press('PageDown')
    const next = new Date(`${siteDay(6).slice(0, 7)}-15T00:00:00Z`)
    next.setUTCMonth(next.getUTCMonth() + 1)
    assert.equal((await chosen())?.slice(0, 7), next.toISOString().slice(0, 7))
    await calendar.getByRole('button', { name: 'Today' }).click()
    await calendar.locator(`td[aria-selected="true"] [data-day="${siteDay(0)}"]`).waitFor()
    assert.equal(await calendar.locator(':focus').textContent(), 'Today')
    await calendar.locator(`[data-day="${siteDay(1)}"]`).click()
    await calendar.getByRole('link', { name: 'First concert' }).waitFor()
    const heading = () => calendar.locator('.month').textContent()
    const before = await heading()
    await calendar.getByRole('button', { name: 'Next month' }).click()
    await calendar.getByRole('button', { name: 'Previous month' }).click()
    assert.equal(await heading(), before)
    assert.deepEqual(faults, [])
    await page.close()
  })

  it('has the clock and the week of the language, as pages have them', async () => {
    const shown = async (lang: string, options = '') => {
      const { page, calendar } = await open(script(`data-view="month" ${options}`), { lang, locale: 'en-US' })
      await calendar.locator(`[data-day="${siteDay(1)}"]`).click()
      await calendar.getByRole('link', { name: 'First concert' }).waitFor()
      const time = (await calendar.locator('.time').first().innerText())
        .replace(/[\s\u2009]*–[\s\u2009]*/, ' – ')
        .replaceAll('\u202f', ' ')
      const day = await calendar.locator('th .hidden').first().textContent()
      const month = await calendar.locator('.month').textContent()
      await page.close()
      return [
        time
          .split('\n')[0]
          ?.replace(/Featured|À la une/, '')
          .trim(),
        day,
        month,
      ]
    }
    assert.deepEqual(await shown('en'), ['19:00 – 21:00', 'Monday', 'June 2031'])
    assert.deepEqual(await shown('en-US'), ['7:00 – 9:00 PM', 'Sunday', 'June 2031'])
    assert.deepEqual(await shown('fr'), ['19:00 – 21:00', 'lundi', 'Juin 2031'])
  })

  it('speaks the language that is asked for, else that of the page', async () => {
    const texts: [string, string, string][] = [
      ['', 'fr', 'Tout le calendrier'],
      ['data-language="de"', 'fr', 'Ganzer Kalender'],
      ['', 'es-MX', 'Todo el calendario'],
      ['', 'eo', 'Whole calendar'],
    ]
    for (const [options, lang, text] of some(texts, 2)) {
      const { page, calendar } = await open(script(options), { lang })
      await calendar.getByText(text).waitFor()
      await page.close()
    }
  })

  it('says when the service is away, and tries again', async () => {
    const { page, calendar } = await open('')
    await page.context().route(`${origin}/calendar/**`, (route) => route.abort())
    await page.evaluate(
      `document.querySelector('main').append(Object.assign(document.createElement('script'), { src: '${origin}/embed.js' }))`,
    )
    await calendar.locator('.note').getByText('The events could not be loaded.').waitFor()
    await page.context().unroute(`${origin}/calendar/**`)
    await calendar.getByRole('button', { name: 'Try again' }).click()
    await calendar.getByRole('link', { name: 'First concert' }).waitFor()
    await page.close()
  })

  it('tells the reason of a wrong option, and that there is nothing', async () => {
    const wrong = await open(script('data-category="no-such"'))
    await wrong.calendar.locator('.note .quiet').getByText('no-such').waitFor()
    await wrong.page.close()
    const none = await open(script('data-search="nothing is called this"'))
    await none.calendar.locator('.note').getByText('No events here yet.').waitFor()
    await none.page.close()
  })

  it('works under a strict policy of the page', async () => {
    const csp = `default-src 'none'; script-src ${origin}; connect-src ${origin}; img-src ${origin}; require-trusted-types-for 'script'`
    const { page, calendar, faults } = await open(script('data-accent="#7c3aed"'), { csp })
    await calendar.getByRole('link', { name: 'First concert' }).waitFor()
    const day = await page.evaluate(
      'getComputedStyle(document.querySelector("kalends-calendar").shadowRoot.querySelector(".day")).fontWeight',
    )
    assert.equal(day, '650')
    assert.deepEqual(faults, [])
    await page.close()
  })

  for (const view of ['list', 'month']) {
    for (const theme of some(view === 'list' ? ['light', 'dark'] : ['dark', 'light'], 1)) {
      it(`has nothing that axe finds, as a ${theme} ${view}, wide and narrow`, async () => {
        for (const width of some([360, 1000], 1)) {
          const { page, calendar } = await open(script(`data-view="${view}" data-theme="${theme}"`), {
            style: `body { background: ${theme === 'dark' ? '#15171b' : '#fff'}; color: ${theme === 'dark' ? '#fff' : '#000'} }`,
            viewport: { width, height: 900 },
          })
          await calendar.locator('.event, .chip').first().waitFor()
          assert.deepEqual(await violationsOf(page), [])
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          assert.ok(Number(overflow) <= 0, `${overflow} pixels too wide`)
          await page.close()
        }
      })
    }
  }
})

/** What an element looks like, as text to compare. */
function look(element: string): string {
  return `(() => { const style = getComputedStyle(${element}); return ['color', 'fontSize', 'fontFamily', 'textTransform', 'letterSpacing', 'display', 'margin', 'textDecoration'].map((name) => style[name]).join('; ') })()`
}

async function fillCalendar(service: Service): Promise<void> {
  const add = (title: string, from: number, more: object = {}, to = from) =>
    service.expect(201, 'editor', '/events', {
      json: { title, start_date: `${siteDay(from)} 19:00`, end_date: `${siteDay(to)} 21:00`, timezone: 'UTC', ...more },
    })
  const venue = { venue: 'Town Hall & Garden', city: 'Anywhere' }
  await add('First concert', 1, { categories: ['Music'], venue, featured: true, cost: '0' })
  await add('Second concert', 2, { categories: ['Music'], venue, cost: '10 - 20' })
  await add('Third concert', 3, { categories: ['Music'] })
  await add('Fourth concert', 4, { categories: ['Music'] })
  await add('Summer fair', 5, { all_day: true }, 6)
  await add('Salt & “Pepper” <3', 5, { tags: ['odd'] })
  await add('A long exhibition', -20, { categories: ['Art'] }, 20)
  await add('Long over', -20)
}
