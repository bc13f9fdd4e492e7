import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { chromium, type Browser as PlaywrightBrowser } from 'playwright-core'
import { IS_THOROUGH } from './thorough.ts'

/** The shell has no windows, and needs a third less time. */
const PATHS = [
  process.env.KALENDS_TEST_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].filter((path) => path !== undefined)
const executablePath = PATHS.find((path) => existsSync(path))

/** Why browser tests do not run here, or false. */
export const NO_BROWSER: string | false =
  executablePath === undefined ? `no Chromium at ${PATHS.join(', ')}: set KALENDS_TEST_CHROMIUM` : false

const OPTIONS = {
  executablePath,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ],
}

/** What a page does in most browsers; in `npm test` without smooth scrolling, which takes up to a second for each click. */
export const MOTION = { reducedMotion: IS_THOROUGH ? 'no-preference' : 'reduce' } as const

/** How long a page may take on a busy machine, in milliseconds. */
const PATIENCE = 120_000

let shared: Promise<Browser> | undefined

// A browser that is left would keep the process from ending.
after(async () => (await shared)?.stop())

interface Browser extends PlaywrightBrowser {
  stop(): Promise<void>
}

/** The browser of this process, which all its files share: to close it closes the pages of a file. */
export function openBrowser(): Promise<PlaywrightBrowser> {
  shared ??= startBrowser()
  return shared
}

async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch(OPTIONS)
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE))
  const stop = browser.close.bind(browser)
  const close = async () => void (await Promise.all(browser.contexts().map((context) => context.close())))
  return Object.assign(browser, { stop, close })
}
