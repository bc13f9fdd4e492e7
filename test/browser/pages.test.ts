import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { NO_BROWSER, openBrowser } from '../support/browser.ts'
import { clock, fillCalendar, type Sample } from '../support/calendar.ts'
import { freePort } from '../support/postgres.ts'
import { type Service, startService } from '../support/service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const VIOLATIONS = `axe.run(document, { resultTypes: ['violations'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
/** By how many pixels a page is wider than its window. */
const OVER = 'document.documentElement.scrollWidth - innerWidth'
const SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 200)
})`
/** Whether what has the focus is marked, itself or as the card or the field that it is in. */
const MARKED = `[document.activeElement, ...['.event', '.find'].map((name) => document.activeElement.closest(name))]
  .some((element) => element && getComputedStyle(element).outlineStyle !== 'none')`
const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const MODES: Record<string, BrowserContextOptions> = {
  light: { viewport: WIDE },
  dark: { viewport: WIDE, colorScheme: 'dark' },
  phone: { viewport: PHONE },
  'a narrow phone': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
}
const VIEWS = [
  '/',
  '/events/',
  '/events/month/2031-06/',
  '/events/week/2031-06-11/',
  '/events/day/2031-06-11/',
  '/events/map/',
  '/events/?category=music&search=harbour',
  '/event/harbour-concert/',
  '/venue/harbour-hall/',
  '/organizer/jazz-guild/',
  '/events/category/music/',
  '/tag/open-air/',
  '/event/secret-supper/',
  '/nothing/',
]

describe('pages in a browser', { skip: NO_BROWSER }, () => {
  let service: Service
  let sample: Sample
  let browser: Browser
  let origin: string
  before(async () => {
    const port = await freePort()
    service = await startService({ clock, settings: { baseUrl: `http://127.0.0.1:${port}` } })
    origin = await service.listen(port)
    sample = await fillCalendar(service)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Opens a page, and tells what it asked of others and what went wrong. */
  async function open(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; faults: string[]; bytes: () => number }> {
    const context = await browser.newContext({
      locale: 'en-US',
      timezoneId: 'America/New_York',
      viewport: WIDE,
      ...options,
    })
    const page = await context.newPage()
    const faults: string[] = []
    let bytes = 0
    page.on('request', (request) => request.url().startsWith(origin) || faults.push(`asked ${request.url()}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 40[34]/.test(message.text())) faults.push(message.text())
    })
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('dialog', (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('requestfinished', async (request) => {
      const { responseBodySize, responseHeadersSize } = await request.sizes()
      bytes += responseBodySize + responseHeadersSize
    })
    await page.goto(origin + path)
    return { page, faults, bytes: () => bytes }
  }

  for (const [mode, options] of Object.entries(MODES)) {
    it(`have nothing that axe finds, ${mode === 'light' || mode === 'dark' ? `in the ${mode}` : `on ${mode}`}, and stay within the screen`, async () => {
      for (const path of VIEWS) {
        const { page, faults } = await open(path, options)
        // A script element would be refused by the policy of the page; what the browser is told from outside is not.
        await page.evaluate(AXE)
        const found = await page.evaluate(VIOLATIONS)
        assert.deepEqual(found, [], path)
        assert.deepEqual(faults, [], path)
        const over = await page.evaluate<number>(OVER)
        assert.ok(over <= 0, `${path} is ${over} pixels too wide`)
        await page.context().close()
      }
    })
  }

  it('do not move while they load, and weigh less than 100 KB', async () => {
    for (const path of ['/', '/events/', '/events/month/2031-06/', '/event/harbour-concert/']) {
      for (const viewport of [WIDE, PHONE]) {
        const { page, bytes } = await open(path, { viewport })
        await page.waitForLoadState('networkidle')
        const shift = await page.evaluate<number>(SHIFT)
        assert.ok(shift < 0.01, `${path} moved by ${shift}`)
        assert.ok(bytes() < 100_000, `${path} has ${bytes()} bytes`)
        await page.context().close()
      }
    }
  })

  it('run nothing that hostile names hold', async () => {
    for (const path of [
      sample.hostile,
      ...Object.values(sample.places),
      '/events/',
      '/events/map/',
      '/events/month/2031-06/',
    ]) {
      const { page, faults } = await open(path)
      await page.locator('h1').hover()
      assert.deepEqual(faults, [], path)
      await page.context().close()
    }
  })

  it('lead through the views, with the keyboard alone', async () => {
    const { page } = await open('/events/')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    const follow = async (name: string) => {
      for (let n = 0; n < 60; n++) {
        await page.keyboard.press('Tab')
        if ((await page.evaluate('document.activeElement.textContent.trim()')) === name) break
      }
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    }
    await follow('Month')
    assert.match(page.url(), /\/events\/month\/$/)
    assert.equal(await page.locator('h1').textContent(), 'June 2031')
    await follow('Next month')
    assert.match(page.url(), /\/events\/month\/2031-07\/$/)
    await follow('Week')
    assert.match(page.url(), /\/events\/week\/2031-07-01\/$/)
    await follow('Today')
    assert.match(page.url(), /\/events\/week\/$/)
    await follow('Day')
    assert.equal(await page.locator('h1').textContent(), 'Tuesday, June 10, 2031')
    await page.context().close()
  })

  it('show where the keyboard is', async () => {
    const { page } = await open('/events/')
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press('Tab')
      assert.ok(await page.evaluate(MARKED), String(await page.evaluate('document.activeElement.outerHTML')))
    }
    await page.context().close()
  })

  for (const javaScriptEnabled of [true, false]) {
    it(`search, filter and open events ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, faults } = await open('/events/', { javaScriptEnabled })
      await page.getByRole('searchbox').fill('harbour')
      await page.getByRole('searchbox').press('Enter')
      assert.deepEqual(await page.locator('h4').allTextContents(), ['Harbour Concert'])
      await page.getByRole('link', { name: 'Clear' }).or(page.locator('.chosen a')).first().click()
      await page.getByText('Filters', { exact: true }).click()
      await page.getByLabel('Category').selectOption({ label: 'Markets' })
      await page.getByRole('button', { name: 'Apply' }).click()
      assert.equal(await page.locator('h4').count(), 20)
      await page.getByRole('link', { name: 'Next', exact: true }).click()
      assert.match(page.url(), /category=markets&page=2/)
      await page.locator('h4 a').first().click()
      assert.match(page.url(), /\/event\/market-20\/$/)
      await page.getByText('Add to calendar').click()
      assert.match(
        (await page.getByRole('link', { name: 'Google Calendar' }).getAttribute('href')) ?? '',
        /dates=20310721T120000Z%2F20310721T160000Z/,
      )
      assert.equal(await page.getByRole('button', { name: 'Share' }).isVisible(), javaScriptEnabled)
      assert.deepEqual(faults, [])
      await page.context().close()
    })

    it(`open a protected event for its password ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page } = await open('/event/secret-supper/', { javaScriptEnabled })
      await page.getByLabel(/password/).fill('wrong')
      await page.getByRole('button', { name: 'Open' }).click()
      assert.equal(await page.getByRole('alert').textContent(), 'That is not its password.')
      await page.getByLabel(/password/).fill('sesame')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('Oysters.').waitFor()
      assert.equal(page.url(), `${origin}/event/secret-supper/`)
      await page.context().close()
    })
  }

  it('show the reader’s own time where it differs, and only there', async () => {
    const there = await open('/event/harbour-concert/', { timezoneId: 'Asia/Tokyo' })
    assert.equal(
      await there.page.locator('.yours').textContent(),
      'In your time zone (Tokyo): Fri, Jun 13, 8:00 – 11:00 AM',
    )
    const here = await open('/event/harbour-concert/', { timezoneId: 'America/New_York' })
    assert.equal(await here.page.locator('.yours').isVisible(), false)
    await Promise.all([there.page.context().close(), here.page.context().close()])
  })

  it('copy their address where nothing can be shared', async () => {
    const { page } = await open('/event/harbour-concert/', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.evaluate("Object.defineProperty(navigator, 'share', { value: undefined })")
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('Link copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${origin}/event/harbour-concert/`)
    await page.context().close()
  })

  it('speak the reader’s language, and change it', async () => {
    const titles = {
      en: 'Upcoming events',
      fr: 'Événements à venir',
      de: 'Kommende Veranstaltungen',
      es: 'Próximos eventos',
    }
    for (const [locale, title] of Object.entries(titles)) {
      const { page, faults } = await open('/events/', { locale })
      assert.equal(await page.locator('h1').textContent(), title)
      await page.locator('footer').getByRole('link', { name: 'Deutsch' }).click()
      assert.equal(page.url(), `${origin}/de/events/`)
      assert.equal(await page.locator('h1').textContent(), titles.de)
      await page.locator('h4 a').first().click()
      assert.match(page.url(), /\/de\/event\//)
      assert.deepEqual(faults, [])
      await page.context().close()
    }
  })

  it('are read from the right where a text is, and stay whole when all is', async () => {
    const { page } = await open('/events/')
    const directions = await page.evaluate(
      "[...document.querySelectorAll('h4 a')].map((link) => getComputedStyle(link).direction)",
    )
    const titles = await page.locator('h4 a').allTextContents()
    assert.deepEqual(
      directions,
      titles.map((title) => (title.startsWith('أ') ? 'rtl' : 'ltr')),
    )
    assert.ok(titles.includes('أمسية شعرية'))
    for (const path of VIEWS) {
      await page.goto(origin + path)
      await page.evaluate("document.documentElement.setAttribute('dir', 'rtl')")
      for (const viewport of [WIDE, PHONE]) {
        await page.setViewportSize(viewport)
        const out = await page.evaluate<number>(OVER)
        assert.ok(out <= 0, `${path} is ${out} pixels too wide`)
      }
    }
    await page.context().close()
  })

  it('lead from the small month of a phone to its days', async () => {
    const { page } = await open('/events/month/2031-06/', { viewport: PHONE })
    await page.locator('.small-month').getByText('12', { exact: true }).click()
    assert.match(page.url(), /#day-2031-06-12$/)
    assert.ok(await page.locator('#day-2031-06-12').getByText('Harbour Concert').isVisible())
    await page.context().close()
  })
})
