import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { clock, fillCalendar, type Sample } from './calendar.ts'
import { freePort } from './free-port.ts'
import { PASSWORD, type Service, startService } from './service.ts'

export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** Screens of readers, the hardest first. */
export const DEVICES: readonly (readonly [name: string, BrowserContextOptions])[] = [
  ['a wide screen by night', { viewport: WIDE, colorScheme: 'dark' }],
  ['a phone in German', { viewport: { width: 320, height: 700 }, locale: 'de-DE' }],
  ['a wide screen', { viewport: WIDE }],
  ['a phone', { viewport: PHONE }],
]

/** A page of each kind. */
export const VIEWS = [
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

/** By how many pixels a page is wider than its window; for `evaluate`. */
export const OVER = 'document.documentElement.scrollWidth - innerWidth'

export interface Opened {
  readonly page: Page
  /** What it asked of others, and what went wrong. */
  readonly faults: string[]
  /** How much it has loaded. */
  bytes(): number
  close(): Promise<void>
}

export interface Site {
  readonly origin: string
  readonly service: Service
  readonly sample: Sample
  open(path: string, options?: BrowserContextOptions): Promise<Opened>
  /** Signs in with the form; it leads to `next`. */
  signIn(user: string, next: string, options?: BrowserContextOptions): Promise<Opened>
  close(): Promise<void>
}

/** A calendar that a browser looks at. */
export async function startSite(): Promise<Site> {
  const port = await freePort()
  const service = await startService({ clock, settings: { baseUrl: `http://127.0.0.1:${port}` } })
  const origin = await service.listen(port)
  const sample = await fillCalendar(service)
  const browser = await openBrowser()
  const openPath = (path: string, options: BrowserContextOptions = {}) => open(browser, origin, path, options)
  return {
    origin,
    service,
    sample,
    open: openPath,
    async signIn(user, next, options) {
      const opened = await openPath(`/sign-in?next=${encodeURIComponent(next)}`, options)
      const { page } = opened
      await page.locator('[name=user]').fill(user)
      await page.locator('[name=password]').fill(PASSWORD)
      await page.locator('main button[type=submit]').click()
      await page.waitForURL(`**${next}`)
      return opened
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

async function open(browser: Browser, origin: string, path: string, options: BrowserContextOptions): Promise<Opened> {
  const settings = { locale: 'en-US', timezoneId: 'America/New_York', viewport: WIDE, ...options }
  const context = await browser.newContext(settings)
  const page = await context.newPage()
  const faults: string[] = []
  let bytes = 0
  const isOwn = (url: string) => url.replace(/^blob:/, '').startsWith(origin)
  page.on('request', (request) => isOwn(request.url()) || faults.push(`asked ${request.url()}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (40[034]|412)/.test(message.text())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    // A form that is left unsaved.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    faults.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('requestfinished', async (request) => {
    // Null if the page was closed meanwhile.
    const sizes = await request.sizes().catch(() => null)
    bytes += sizes === null ? 0 : sizes.responseBodySize + sizes.responseHeadersSize
  })
  await page.goto(origin + path)
  return { page, faults, bytes: () => bytes, close: () => context.close() }
}
