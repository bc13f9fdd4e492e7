import { mkdirSync } from 'node:fs'
import type { BrowserContextOptions } from 'playwright-core'
import sharp from 'sharp'
import { openBrowser } from '../test/support/browser.ts'

/** Takes the pictures of docs/screenshots from a calendar that runs: `node scripts/screenshots.ts http://localhost:8080`. */

const FOLDER = new URL('../docs/screenshots/', import.meta.url)
const [home = 'http://localhost:8080'] = process.argv.slice(2)

const MODES: Record<string, BrowserContextOptions> = {
  light: { viewport: { width: 1280, height: 860 } },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
}

/** The pictures at the top of the README: as tall as what they are to show, and sharp on any screen. */
const COVER: BrowserContextOptions = { viewport: { width: 1280, height: 1040 }, deviceScaleFactor: 1.5 }
const COVERS: Record<string, BrowserContextOptions> = {
  'cover-light': COVER,
  'cover-dark': { ...COVER, colorScheme: 'dark' },
}

interface Shown {
  readonly url: string
  readonly venue: { readonly url: string } | readonly []
}

/** An event that has everything to show. */
async function pickEvent(): Promise<Shown> {
  const response = await fetch(`${home}/calendar/events/v1/events?featured=true&geoloc=true&per_page=50`)
  const { events } = (await response.json()) as { events: (Shown & { image: unknown; description: string })[] }
  const [found] = events.filter(({ image, description }) => image && description.length > 100)
  if (found === undefined) throw new Error('there is no featured event with an image, a venue and a description')
  return found
}

const event = await pickEvent()
const pathOf = (url: string) => new URL(url).pathname
const pages: Record<string, string> = {
  start: '/',
  list: '/events/',
  month: '/events/month/',
  week: '/events/week/',
  day: '/events/day/',
  map: '/events/map/',
  event: pathOf(event.url),
  ...('url' in event.venue && { venue: pathOf(event.venue.url) }),
}

mkdirSync(FOLDER, { recursive: true })
const browser = await openBrowser()

async function take(options: BrowserContextOptions, shown: Record<string, string>): Promise<void> {
  const context = await browser.newContext({ locale: 'en', ...options })
  const page = await context.newPage()
  for (const [name, path] of Object.entries(shown)) {
    await page.goto(home + path, { waitUntil: 'networkidle' })
    // Fonts that come late are not waited for: the second time they are there.
    await page.reload({ waitUntil: 'networkidle' })
    const picture = await page.screenshot()
    const file = new URL(`${name}.webp`, FOLDER)
    await sharp(picture).webp({ quality: 82 }).toFile(file.pathname)
    process.stdout.write(`${file.pathname}\n`)
  }
  await context.close()
}

for (const [mode, options] of Object.entries(MODES))
  await take(options, Object.fromEntries(Object.entries(pages).map(([name, path]) => [`${name}-${mode}`, path])))
for (const [name, options] of Object.entries(COVERS)) await take(options, { [name]: '/' })
await browser.close()
