import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = [
  process.env.KALENDS_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].filter((path) => path !== undefined)
const executablePath = PATHS.find((path) => existsSync(path))

/** Why browser tests do not run here, or false. */
export const NO_BROWSER: string | false =
  executablePath === undefined ? `no Chromium at ${PATHS.join(', ')}: set KALENDS_TEST_CHROMIUM` : false

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  })
}
