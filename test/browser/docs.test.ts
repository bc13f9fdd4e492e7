import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { NO_BROWSER, openBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'

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
    const page = await browser.newPage({ locale: language })
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
    const { page, foreign, faults } = await open('/docs#?route=get-/events')
    await page.getByText('List events.').first().waitFor()
    await page.getByRole('button', { name: 'EXECUTE' }).click()
    await page.getByText('"total_pages"').first().waitFor()
    assert.deepEqual([foreign, faults], [[], []])
    await page.close()
  })
})
