import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import type { Role } from '../../src/domain/access.ts'
import { MOTION, openBrowser } from './browser.ts'
import { clock, fillCalendar, type Sample } from './calendar.ts'
import { freePort } from './free-port.ts'
import { type Service, startService } from './service.ts'
import { signIn } from './staff.ts'
import { contentsOf, inMemory } from './store.ts'

export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** Screens of readers, the hardest first. */
export const DEVICES: readonly (readonly [name: string, BrowserContextOptions])[] = [
  ['a wide screen by night', { viewport: WIDE, colorScheme: 'dark' }],
  ['a phone in German', { viewport: { width: 320, height: 700 }, locale: 'de-DE' }],
  ['a wide screen', { viewport: WIDE }],
  ['a phone', { viewport: PHONE }],
]

/** A page of each kind, those with the most parts first. */
export const VIEWS = [
  '/events/',
  '/events/month/2031-06/',
  '/event/harbour-concert/',
  '/events/map/',
  '/',
  '/events/week/2031-06-11/',
  '/events/day/2031-06-11/',
  '/events/?category=music&search=harbour',
  '/venue/harbour-hall/',
  '/organizer/jazz-guild/',
  '/events/category/music/',
  '/tag/open-air/',
  '/event/secret-supper/',
  '/nothing/',
]

/** By how many pixels a page is wider than its window; for `evaluate`. */
export const OVER = 'document.documentElement.scrollWidth - innerWidth'

/** Widths at which a page is wider than its window: that of the window, and that of a small phone. */
export async function tooWide(page: Page): Promise<number[]> {
  const { width: own, height } = page.viewportSize() ?? WIDE
  const found: number[] = []
  for (const width of [320, own]) {
    await page.setViewportSize({ width, height })
    if ((await page.evaluate<number>(OVER)) > 0) found.push(width)
  }
  return found
}

export interface Opened {
  readonly page: Page
  /** What it asked of others, and what went wrong. */
  readonly faults: string[]
  /** How much it has loaded. */
  bytes(): Promise<number>
  close(): Promise<void>
}

export interface Site {
  readonly origin: string
  readonly service: Service
  readonly sample: Sample
  open(path: string, options?: BrowserContextOptions): Promise<Opened>
  /** Opens a page as a user who has signed in before. `suggest.test.ts` signs in with the form in the browser. */
  signIn(user: Role, next: string, options?: BrowserContextOptions): Promise<Opened>
  close(): Promise<void>
}

interface Filled {
  readonly sample: Sample
  readonly contents: Uint8Array
  /** Where the files of images are. */
  readonly folder: string
}

let filled: Promise<Filled> | undefined

after(async () => filled && rmSync((await filled).folder, { recursive: true }))

/** The calendar of all sites of a process, filled once: that takes longer than to start a service. */
async function fillOnce(): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-site-'))
  const service = await startService({ clock, folder, settings: { data: folder } })
  const sample = await fillCalendar(service)
  await service.close()
  return { sample, contents: contentsOf(folder), folder }
}

/** A calendar that a browser looks at. */
export async function startSite(): Promise<Site> {
  filled ??= fillOnce()
  const { sample, contents, folder } = await filled
  const port = await freePort()
  const service = await startService({
    clock,
    store: inMemory(contents),
    settings: { baseUrl: `http://127.0.0.1:${port}` },
  })
  cpSync(join(folder, 'images'), join(service.config.data, 'images'), { recursive: true })
  const origin = await service.listen(port)
  const browser = await openBrowser()
  const openPath = (path: string, options: BrowserContextOptions = {}) => open(browser, origin, path, options)
  return {
    origin,
    service,
    sample,
    open: openPath,
    async signIn(user, next, options) {
      const [name = '', value = ''] = (await signIn(service, user)).cookie.split('=')
      const cookie = { name, value, url: origin, httpOnly: true, sameSite: 'Lax' as const }
      return open(browser, origin, next, { cookie, ...options })
    },
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

type OpenOptions = BrowserContextOptions & { readonly cookie?: Cookie }
type Cookie = Parameters<BrowserContext['addCookies']>[0][number]

async function open(
  browser: Browser,
  origin: string,
  path: string,
  { cookie, ...options }: OpenOptions,
): Promise<Opened> {
  const settings = { locale: 'en-US', timezoneId: 'America/New_York', viewport: WIDE, ...MOTION, ...options }
  const context = await browser.newContext(settings)
  if (cookie !== undefined) await context.addCookies([cookie])
  const page = await context.newPage()
  const faults: string[] = []
  const finished: Request[] = []
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
  page.on('requestfinished', (request) => finished.push(request))
  await page.goto(origin + path)
  return { page, faults, bytes: () => bytesOf(finished), close: () => context.close() }
}

async function bytesOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()))
  return sizes.reduce(
    (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
    0,
  )
}
