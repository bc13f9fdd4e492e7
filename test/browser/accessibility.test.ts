import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { COLOURS, violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import { OVER, PHONE, type Site, startSite, VIEWS, WIDE } from '../support/site.ts'
import { some } from '../support/thorough.ts'

const MODES: Record<string, { options: BrowserContextOptions; only?: readonly string[]; views: readonly string[] }> = {
  'by day': { options: { viewport: WIDE }, views: some(VIEWS, 3) },
  'by night': { options: { viewport: WIDE, colorScheme: 'dark' }, only: COLOURS, views: some(VIEWS, 2) },
  'on a phone': { options: { viewport: PHONE }, views: some(VIEWS, 1) },
}
/** Whether what has the focus is marked, itself or as the card or the field that it is in. */
const MARKED = `[document.activeElement, ...['.event', '.find'].map((name) => document.activeElement.closest(name))]
  .some((element) => element && getComputedStyle(element).outlineStyle !== 'none')`

describe('pages for everybody', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  for (const [mode, { options, only, views }] of Object.entries(MODES)) {
    it(`have nothing that axe finds, ${mode}`, async () => {
      const { page, faults, close } = await site.open('/', options)
      for (const path of views) {
        await page.goto(site.origin + path)
        assert.deepEqual(await violationsOf(page, { only }), [], path)
        assert.deepEqual(faults, [], path)
      }
      await close()
    })
  }

  it('stay within the screen, from a narrow phone to a wide screen, written from either side', async () => {
    const { page, close } = await site.open('/')
    for (const path of some(VIEWS, 8)) {
      await page.goto(site.origin + path)
      for (const direction of some(['rtl', 'ltr'], 1)) {
        await page.evaluate(`document.documentElement.setAttribute('dir', '${direction}')`)
        for (const width of some([320, 1024, 390, 768, 1920], 2)) {
          await page.setViewportSize({ width, height: 700 })
          assert.ok((await page.evaluate<number>(OVER)) <= 0, `${path} ${direction} at ${width}`)
        }
      }
    }
    await close()
  })

  it('are read from the right where a text is', async () => {
    const { page, close } = await site.open('/events/')
    const titles = await page.locator('h4 a').allTextContents()
    assert.deepEqual(
      await page.evaluate("[...document.querySelectorAll('h4 a')].map((link) => getComputedStyle(link).direction)"),
      titles.map((title) => (title.startsWith('أ') ? 'rtl' : 'ltr')),
    )
    assert.ok(titles.includes('أمسية شعرية'))
    await close()
  })

  it('lead through the views, with the keyboard alone', async () => {
    const { page, close } = await site.open('/events/')
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
    await close()
  })

  it('show where the keyboard is', async () => {
    const { page, close } = await site.open('/events/')
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press('Tab')
      assert.ok(await page.evaluate(MARKED), String(await page.evaluate('document.activeElement.outerHTML')))
    }
    await close()
  })
})
