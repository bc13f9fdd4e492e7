import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { NO_BROWSER } from '../support/browser.ts'
import { PHONE, type Site, startSite, VIEWS, WIDE } from '../support/site.ts'
import { some } from '../support/thorough.ts'

/** Places of the controls above a view; for `evaluate`. */
const PLACES = `[...document.querySelectorAll('h1, .steps a, .views a, .find, .filters summary, .tools .menu > summary')]
  .map((element) => { const { x, y, width, height } = element.getBoundingClientRect(); return [x, y, width, height].map(Math.round) })`
/** Parts of the controls that are outside of the window or of what holds them; for `evaluate`. */
const CUT = `[...document.querySelectorAll('header a, .tools a, .tools summary, .tools input, .heading summary')]
  .filter((element) => element.checkVisibility() && !element.closest('.menu > ul, .fields'))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect()
    const holder = element.closest('.views ul')?.getBoundingClientRect()
    return left < 12 || right > innerWidth - 12 || (holder && (left < holder.left || right > holder.right))
  }).map((element) => element.textContent)`
/** Whether the link to subscribe has a row for itself; for `evaluate`. */
const ALONE = `[...document.querySelectorAll('.tools > .menu')].some((menu) => {
  const middle = (element) => { const { top, height } = element.getBoundingClientRect(); return top + height / 2 }
  return [...menu.parentElement.children].every((other) => other === menu || Math.abs(middle(other) - middle(menu)) > 12)
})`
/** Links and controls under 24 pixels, but for links in a text; for `evaluate`. */
const SMALL = `[...document.querySelectorAll('a, button, summary, select, input:not([type=hidden])')]
  .filter((element) => element.checkVisibility() && !element.closest('.prose, .skip, svg, .unseen') && !element.matches('.skip'))
  .filter((element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && (width < 24 || height < 23.99)
  }).map((element) => element.outerHTML.slice(0, 120))`
/** The longest words first. */
const LANGUAGES = ['de', 'fr', 'es', 'en']
/** Screens of the staff, those with the most controls first. */
const SCREENS = ['/events', '/events/new', '/settings', '/account', '', '/venues', '/categories', '/users', '/jobs']
const WIDTHS = [1440, 1024, 768, 390, 320]

describe('controls in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  it('stay where they are when filters open', async () => {
    const { page, close } = await site.open('/events/')
    for (const path of ['/events/', '/events/month/2031-06/', '/events/category/music/'])
      for (const width of some(WIDTHS, 2)) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(site.origin + path)
        const before = await page.evaluate(PLACES)
        await page.locator('.filters summary').click()
        assert.equal(await page.getByRole('button', { name: 'Apply' }).isVisible(), true)
        assert.deepEqual(await page.evaluate(PLACES), before, `${path} at ${width}`)
        await page.keyboard.press('Escape')
        assert.equal(await page.getByRole('button', { name: 'Apply' }).isVisible(), false)
      }
    await close()
  })

  it('are whole, and do not wrap alone, in every language', async () => {
    const { page, close } = await site.open('/events/')
    for (const language of some(LANGUAGES, 1))
      for (const path of some(['/events/map/', '/events/month/2031-06/', '/events/', '/venue/harbour-hall/'], 2)) {
        await page.goto(`${site.origin}/${language}${path}`)
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 })
          assert.deepEqual(await page.evaluate(CUT), [], `${language} ${path} at ${width}`)
          assert.equal(await page.evaluate(ALONE), false, `${language} ${path} at ${width}`)
        }
      }
    await close()
  })

  it('are at least 24 pixels wide and high', async () => {
    const { page, close } = await site.open('/')
    for (const viewport of some([PHONE, WIDE], 1)) {
      await page.setViewportSize(viewport)
      for (const path of some(VIEWS, 5)) {
        await page.goto(site.origin + path)
        assert.deepEqual(await page.evaluate(SMALL), [], `${path} at ${viewport.width}`)
      }
    }
    await close()
  })

  it('are so on the screens of the staff, too', async () => {
    const { page, close } = await site.signIn('administrator', '/manage')
    for (const viewport of some([PHONE, WIDE], 1)) {
      await page.setViewportSize(viewport)
      for (const path of some(SCREENS, 5)) {
        await page.goto(`${site.origin}/manage${path}`)
        assert.deepEqual(await page.evaluate(SMALL), [], `${path} at ${viewport.width}`)
      }
    }
    await close()
  })

  it('turn the small month in place, with and without scripts', async () => {
    for (const javaScriptEnabled of some([true, false], 1)) {
      const { page, faults, close } = await site.open('/', { javaScriptEnabled, viewport: PHONE })
      const month = page.locator('.small-month')
      assert.equal(await month.getByRole('heading').textContent(), 'June 2031')
      await month.getByRole('link', { name: 'Next month' }).click()
      await month.getByText('July 2031').waitFor()
      assert.match(page.url(), /\/\?month=2031-07/)
      assert.equal(await month.getByRole('link', { name: '31', exact: true }).count(), 0)
      await month.getByRole('link', { name: '4', exact: true }).click()
      assert.match(page.url(), /\/events\/day\/2031-07-04\/$/)
      assert.deepEqual(faults, [])
      await close()
    }
  })
})
