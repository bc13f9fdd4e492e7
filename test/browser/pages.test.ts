import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { NO_BROWSER } from '../support/browser.ts'
import { PHONE, type Site, startSite, WIDE } from '../support/site.ts'
import { some } from '../support/thorough.ts'

const SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 200)
})`
describe('pages in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  it('do not move while they load, and weigh less than 100 KB', async () => {
    for (const path of some(['/', '/event/harbour-concert/', '/events/', '/events/month/2031-06/'], 2)) {
      for (const viewport of [WIDE, PHONE]) {
        const { page, bytes, close } = await site.open(path, { viewport })
        await page.waitForLoadState('networkidle')
        const shift = await page.evaluate<number>(SHIFT)
        assert.ok(shift < 0.01, `${path} moved by ${shift}`)
        const weight = await bytes()
        assert.ok(weight > 10_000 && weight < 100_000, `${path} has ${weight} bytes`)
        await close()
      }
    }
  })

  it('run nothing that hostile names hold', async () => {
    const { hostile, places } = site.sample
    const { page, faults, close } = await site.open('/')
    for (const path of [hostile, ...Object.values(places), '/events/', '/events/map/', '/events/month/2031-06/']) {
      await page.goto(site.origin + path)
      await page.locator('h1').hover()
      assert.deepEqual(faults, [], path)
    }
    await close()
  })

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`search, filter and open events ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, faults, close } = await site.open('/events/', { javaScriptEnabled })
      await page.getByRole('searchbox').fill('harbour')
      await page.getByRole('searchbox').press('Enter')
      // The second is at Harbour Hall: hits in the title come first.
      assert.deepEqual(await page.locator('h4').allTextContents(), ['Harbour Concert', 'أمسية شعرية'])
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
      await close()
    })
  }

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`open a protected event for its password ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, close } = await site.open('/event/secret-supper/', { javaScriptEnabled })
      await page.getByLabel(/password/).fill('wrong')
      await page.getByRole('button', { name: 'Open' }).click()
      assert.equal(await page.getByRole('alert').textContent(), 'That is not its password.')
      await page.getByLabel(/password/).fill('sesame')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('Oysters.').waitFor()
      assert.equal(page.url(), `${site.origin}/event/secret-supper/`)
      await close()
    })
  }

  it('show the reader’s own time where it differs, and only there', async () => {
    const there = await site.open('/event/harbour-concert/', { timezoneId: 'Asia/Tokyo' })
    assert.equal(
      await there.page.locator('.yours').textContent(),
      'In your time zone (Tokyo): Fri, Jun 13, 8:00 – 11:00 AM',
    )
    const here = await site.open('/event/harbour-concert/', { timezoneId: 'America/New_York' })
    assert.equal(await here.page.locator('.yours').isVisible(), false)
    await Promise.all([there.close(), here.close()])
  })

  it('copy their address where nothing can be shared', async () => {
    const { page, close } = await site.open('/event/harbour-concert/', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.evaluate("Object.defineProperty(navigator, 'share', { value: undefined })")
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByText('Link copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${site.origin}/event/harbour-concert/`)
    await close()
  })

  it('speak the reader’s language, and change it', async () => {
    const titles = {
      en: 'Upcoming events',
      fr: 'Événements à venir',
      de: 'Kommende Veranstaltungen',
      es: 'Próximos eventos',
    }
    for (const [locale, title] of some(Object.entries(titles), 2)) {
      const { page, faults, close } = await site.open('/events/', { locale })
      assert.equal(await page.locator('h1').textContent(), title)
      await page.locator('footer').getByRole('link', { name: 'Deutsch' }).click()
      assert.equal(page.url(), `${site.origin}/de/events/`)
      assert.equal(await page.locator('h1').textContent(), titles.de)
      await page.locator('h4 a').first().click()
      assert.match(page.url(), /\/de\/event\//)
      assert.deepEqual(faults, [])
      await close()
    }
  })
})
