import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { NO_BROWSER } from '../support/browser.ts'
import { type Site, startSite } from '../support/site.ts'
import { some } from '../support/thorough.ts'

/** Controls that can be seen; for `evaluate`. */
const CONTROLS = `[...document.querySelectorAll('button, .button, input, select, summary, nav a, [role=button], search')]
  .filter((element) => element.checkVisibility()).map((element) => element.outerHTML)`

describe('pages on paper', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
    for (let day = 1; day <= 30; day++)
      for (let n = 0; n < 6; n++)
        await site.service.expect(201, 'editor', '/events', {
          json: {
            title: `Something with a rather long name that is on this day ${n}`,
            start_date: `2031-11-${String(day).padStart(2, '0')} 1${n}:00`,
            end_date: `2031-11-${String(day).padStart(2, '0')} 1${n}:30`,
          },
        })
    for (let n = 0; n < 20; n++)
      await site.service.expect(201, 'editor', '/events', {
        json: { title: `Long exhibition ${n}`, start_date: '2031-10-01', end_date: '2031-12-01', all_day: true },
      })
  })
  after(() => site?.close())

  /** Sizes of the pages of a PDF, in points. */
  const sheets = async (page: Page, options: Parameters<Page['pdf']>[0]) => {
    const pdf = (await page.pdf(options)).toString('latin1')
    return [...pdf.matchAll(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...size]) => size.map(Number))
  }

  it('have a month on one landscape page, however full it is', async () => {
    // November 2031 has six weeks, June 2031 has five.
    for (const path of some(['/events/month/2031-11/', '/events/month/2031-06/', '/events/month/2033-01/'], 1)) {
      const { page, close } = await site.open(path)
      for (const options of [{ preferCSSPageSize: true }, {}, { landscape: true, format: 'A4' }]) {
        const [[width = 0, height = 0] = [], ...others] = await sheets(page, options)
        assert.deepEqual(others, [], `${path} ${JSON.stringify(options)}`)
        assert.ok(width > height, `${path} ${JSON.stringify(options)}`)
      }
      await close()
    }
  })

  it('have their address as text, and no controls', async () => {
    const { page, close } = await site.open('/')
    await page.emulateMedia({ media: 'print' })
    const paths = [
      '/',
      '/events/?category=markets&page=2',
      '/events/month/2031-06/',
      '/events/map/',
      '/event/harbour-concert/',
      '/events/',
      '/events/week/2031-06-08/',
      '/events/day/2031-06-11/',
      '/venue/harbour-hall/',
      '/events/category/music/',
    ]
    for (const path of some(paths, 5)) {
      await page.goto(site.origin + path)
      assert.equal(await page.getByText(site.origin + path, { exact: true }).isVisible(), true, path)
      assert.deepEqual(await page.evaluate(CONTROLS), [], path)
    }
    await close()
  })

  it('show on a screen no address', async () => {
    const { page, close } = await site.open('/events/')
    assert.equal(await page.locator('.printed-address').isVisible(), false)
    await close()
  })
})
