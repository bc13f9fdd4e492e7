import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

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

/** How long a page may take on a busy machine, in milliseconds. */
const PATIENCE = 120_000

/** The browser that the runner has started for all files, or one of the file's own. */
export async function openBrowser(): Promise<Browser> {
  const shared = process.env.KALENDS_TEST_BROWSER
  const browser = await (shared ? chromium.connect(shared) : chromium.launch(OPTIONS))
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE))
  return browser
}

/** A browser that other processes can open; its address is what `KALENDS_TEST_BROWSER` takes. */
export async function startBrowser(): Promise<{ address: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer(OPTIONS)
  return { address: server.wsEndpoint(), stop: () => server.close() }
}
