import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContextOptions, devices, type Page } from 'playwright-core'
import sharp from 'sharp'
import { violationsOf } from '../support/axe.ts'
import { MOTION, NO_BROWSER, openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { type Json, PASSWORD, type Service, startService } from '../support/service.ts'
import { OVER, PHONE, WIDE } from '../support/site.ts'
import { IS_THOROUGH, some } from '../support/thorough.ts'

describe('suggestions and imports in a browser', { skip: NO_BROWSER }, () => {
  let service: Service
  let browser: Browser
  let origin = ''
  /** Added to the clock, for forms that have to wait. */
  let ahead = 0
  before(async () => {
    const port = await freePort()
    service = await startService({
      settings: { suggest: 'yes', baseUrl: `http://127.0.0.1:${port}` },
      clock: () => Math.floor(Date.now() / 1000) + ahead,
    })
    origin = await service.listen(port)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-US', viewport: WIDE, ...MOTION, ...options })
    const page = await context.newPage()
    await page.goto(origin + path)
    return page
  }
  const audit = async (page: Page) => {
    assert.deepEqual(await violationsOf(page), [])
    assert.ok((await page.evaluate<number>(OVER)) <= 0, 'it fits')
  }
  const fill = async (page: Page, title: string) => {
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Starts').fill('2031-06-10T19:00')
    await page.getByLabel('Venue').fill('Boathouse')
    await page.getByLabel('Description').fill('Come and sing.')
    await page.getByLabel('Your e-mail address').fill('ada@example.org')
  }
  const pending = async (search: string): Promise<Json[]> =>
    (
      await service.expect(200, 'editor', '/events', {
        query: { search, status: 'pending', start_date: '2000-01-01', end_date: '2040-01-01' },
      })
    ).events

  it('take a form at once from a browser with scripts, which proves its work', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: 'Suggest an event' }).click()
    await fill(page, 'With scripts')
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#357' } })
      .png()
      .toBuffer()
    await page.getByLabel('Picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: bytes })
    await page.getByRole('button', { name: 'Send suggestion' }).click()
    await page.waitForURL('**/suggest?sent=1')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await audit(page)
    assert.equal((await pending('With scripts')).length, 1)
    await page.context().close()
  })

  it('ask a browser without scripts to wait, and lose nothing', async () => {
    const page = await open('/suggest', { javaScriptEnabled: false })
    await fill(page, 'Without scripts')
    await page.getByRole('button', { name: 'Send suggestion' }).click()
    await page.getByText('That was quick').waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Without scripts')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Come and sing.')
    ahead += 11
    await page.getByRole('button', { name: 'Send suggestion' }).click()
    await page.waitForURL('**/suggest?sent=1')
    assert.equal((await pending('Without scripts')).length, 1)
    await page.context().close()
  })

  it('have nothing that axe finds, on a phone and a desktop, by day and night, also refused', async () => {
    const devicesOfReaders = [
      { ...devices['Pixel 7'], viewport: PHONE, colorScheme: 'dark' as const },
      { viewport: WIDE },
    ]
    for (const options of some<BrowserContextOptions>(devicesOfReaders, 1)) {
      const page = await open('/suggest', options)
      await audit(page)
      await page.setViewportSize({ width: 320, height: 700 })
      assert.ok((await page.evaluate<number>(OVER)) <= 0)
      // Neither checked by the browser nor with a proof of work, which takes long.
      ahead += 11
      await page.evaluate("document.querySelector('form[data-proof]').submit()")
      await page.locator('[aria-invalid]').first().waitFor()
      await audit(page)
      await page.context().close()
    }
  })

  it('show a reviewer the sender and the picture, and publish both venue and picture', async () => {
    const page = await open('/sign-in?next=/manage')
    await page.getByLabel('Name or e-mail').fill('editor')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'With scripts' }).first().click()
    await page.getByRole('link', { name: 'ada@example.org' }).waitFor()
    const width = await page.evaluate<number>(
      "(async (image) => { await image.decode(); return image.naturalWidth })(document.querySelector('.suggested img'))",
    )
    assert.equal(width, 300)
    await page.getByRole('button', { name: 'Approve and publish' }).click()
    await page.getByText('Approved and published').waitFor()
    const shown = await open('/event/with-scripts/')
    await shown.locator('main img').first().waitFor()
    await shown.getByText('Boathouse').first().waitFor()
    await shown.context().close()
    await page.context().close()
  })

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`map, preview, run and undo an import ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const page = await open('/sign-in?next=/manage/imports', { javaScriptEnabled })
      await page.getByLabel('Name or e-mail').fill('editor')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const table = `Was;Wann;Halle\nSommerfest ${javaScriptEnabled};03/04/2031 19:30;Rathaus\n`
      const file = { name: 'fest.csv', mimeType: 'text/csv', buffer: Buffer.from(table) }
      await page.getByLabel('File').setInputFiles(file)
      if (javaScriptEnabled && IS_THOROUGH) await audit(page)
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByLabel('Was').selectOption('title')
      await page.getByLabel('Wann').selectOption('start_date')
      await page.getByLabel('Halle').selectOption('venue')
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByText('nothing is saved yet').waitFor()
      await page.getByText('3 April 2031').waitFor()
      if (javaScriptEnabled) {
        if (IS_THOROUGH) await audit(page)
        await page.setViewportSize(PHONE)
        await audit(page)
      }
      await page.getByRole('button', { name: 'Import now' }).click()
      await page.getByText('Done ·').waitFor()
      if (javaScriptEnabled) await audit(page)
      await page.getByRole('button', { name: 'Undo this import' }).click()
      await page.getByText('1 event is as before').waitFor()
      await page.context().close()
    })
  }
})
