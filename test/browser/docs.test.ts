import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { violationsOf } from '../support/axe.ts'
import { MOTION, NO_BROWSER, openBrowser } from '../support/browser.ts'
import { PASSWORD, type Service, startService } from '../support/service.ts'
import { IS_THOROUGH, some } from '../support/thorough.ts'

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

describe('the documentation page', { skip: NO_BROWSER }, () => {
  let service: Service
  let browser: Browser
  let origin: string
  before(async () => {
    // The reader sends requests to the address that the document names, which has to be this one.
    const port = await freePort()
    service = await startService({ settings: { baseUrl: `http://127.0.0.1:${port}` } })
    origin = await service.listen(port)
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  const open = async (path: string, language = 'en'): Promise<{ page: Page; foreign: string[]; faults: string[] }> => {
    const page = await browser.newPage({ locale: language, ...MOTION })
    const foreign: string[] = []
    const faults: string[] = []
    page.on('request', (request) => request.url().startsWith(origin) || foreign.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(origin + path)
    return { page, foreign, faults }
  }

  it('is linked from the start page, in the reader’s language', async () => {
    const { page, foreign, faults } = await open('/', 'fr')
    assert.equal(await page.locator('html').getAttribute('lang'), 'fr')
    await page.locator('footer a[href$="/docs"]').click()
    await page.waitForURL('**/docs')
    assert.deepEqual([foreign, faults], [[], []])
    await page.close()
  })

  it('shows the operations, lets a reader try one, and asks nobody else', async () => {
    await service.expect(201, 'editor', '/events', {
      json: { title: 'Tried out', start_date: '2031-06-10', end_date: '2031-06-11' },
    })
    const { page, foreign, faults } = await open('/docs#get-events')
    const operation = page.locator('#get-events')
    await operation.getByText('List events.').waitFor()
    await operation.getByLabel('search', { exact: true }).fill('Tried')
    await operation.getByLabel('start_date', { exact: true }).fill('2031-01-01')
    await operation.getByRole('button', { name: 'Send' }).click()
    await operation.getByText('"title": "Tried out"').waitFor()
    await operation.getByText(/^200 .*search=Tried/).waitFor()
    assert.deepEqual([foreign, faults], [[], []])
    await page.close()
  })

  it('warns before a request that writes, and sends it only after a yes', async () => {
    const { page } = await open('/docs#post-venues')
    const credentials = page.locator('.credentials')
    const dialog = page.locator('dialog')
    await credentials.getByText('Sign in for requests').click()
    await credentials.getByLabel('User name or e-mail address').fill('editor')
    await credentials.getByLabel('Password or token').fill(PASSWORD)
    const operation = page.locator('#post-venues')
    await operation.getByText('This request writes to the live calendar').waitFor()
    await operation.getByLabel('Body (JSON)').fill('{ "venue": "Tried Hall" }')
    const count = async () =>
      (await service.expect(200, 'editor', '/venues', { query: { search: 'Tried Hall' } })).total
    await operation.getByRole('button', { name: 'Send' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await operation.locator('.answer').isVisible(), false)
    await operation.getByRole('button', { name: 'Send' }).click()
    await dialog.getByRole('button', { name: 'Send request' }).click()
    await operation.getByRole('status').getByText(/^201 /).waitFor()
    assert.equal(await count(), 1)
    await page.close()
  })

  it('looks like the site, with a heading, a way back, and nothing that axe finds', async () => {
    for (const colorScheme of some(['dark', 'light'] as const, 1)) {
      const page = await browser.newPage({
        locale: 'en',
        colorScheme,
        viewport: { width: 390, height: 844 },
        ...MOTION,
      })
      await page.goto(`${origin}/docs#${IS_THOROUGH ? 'post-events' : 'post-tags'}`)
      assert.equal(await page.locator('h1').textContent(), 'Documentation of the REST interface')
      assert.match(await page.evaluate('getComputedStyle(document.body).fontFamily'), /^Figtree/)
      for (const id of ['get-events', 'delete-events-id']) await page.locator(`#${id} > summary`).click()
      // All operations have the same form.
      if (!IS_THOROUGH)
        await page.evaluate(
          "for (const one of document.querySelectorAll('.operation:nth-of-type(n+2):not([open])')) one.remove()",
        )
      assert.deepEqual(await violationsOf(page), [])
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0)
      // What a parameter means is read without pushing the table sideways.
      const table = page.locator('#get-events .table').first()
      assert.ok((await table.evaluate((box) => box.scrollWidth - box.clientWidth)) <= 0)
      assert.doesNotMatch(await table.innerText(), /`/)
      await page.locator('main .eyebrow a').click()
      await page.waitForURL(`${origin}/`)
      await page.close()
    }
  })

  it('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en' })
    const page = await context.newPage()
    await page.goto(`${origin}/docs`)
    await page.locator('#get-events > summary').click()
    await page.locator('#get-events').getByText('include_running').first().waitFor()
    assert.equal(await page.locator('#get-events form').isVisible(), false)
    await context.close()
  })
})
