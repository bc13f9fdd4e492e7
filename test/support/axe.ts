import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules on colours: at night nothing else differs. */
export const COLOURS = ['color-contrast', 'link-in-text-block']

/** Violations that axe finds on a page: rule and first element of each. */
export async function violationsOf(
  page: Page,
  { only }: { readonly only?: readonly string[] } = {},
): Promise<string[]> {
  // Evaluated from outside: the policy of the page would refuse a script element.
  await page.evaluate(AXE)
  // What is preloaded serves rules alone that are not on. Selectors are for readers of the whole result.
  const cheap = { resultTypes: ['violations'], preload: false, selectors: false }
  const options = JSON.stringify({ ...cheap, ...(only && { runOnly: only }) })
  return page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
}
