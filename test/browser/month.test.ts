import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { NO_BROWSER } from '../support/browser.ts'
import { PHONE, type Site, startSite, WIDE } from '../support/site.ts'

const MONTH = '/events/month/2031-06/'
const DESK = { width: 1440, height: 900 }
/** Number of letters of a title that are inside its box; for `evaluate` on the link of an event. */
const LETTERS = `(link) => {
  const box = link.getBoundingClientRect()
  const text = link.querySelector('.name').firstChild
  const range = document.createRange()
  let seen = 0
  for (let n = 0; n < text.length; n++) {
    range.setStart(text, n)
    range.setEnd(text, n + 1)
    const { right, bottom, width } = range.getBoundingClientRect()
    if (width > 0 && right <= box.right + 1 && bottom <= box.bottom + 1) seen++
  }
  return seen
}`

describe('the month in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
    for (let n = 0; n < 11; n++)
      await site.service.expect(201, 'editor', '/events', {
        json: {
          title: `Open rehearsal of the town band ${n}`,
          start_date: `2031-06-25 ${10 + n}:00`,
          end_date: `2031-06-25 ${10 + n}:45`,
          venue: { venue: `Bandstand ${n}` },
        },
      })
  })
  after(() => site?.close())

  const focused = (page: Page) => page.evaluate<string>("document.activeElement.closest('[role=gridcell]')?.id ?? ''")

  it('is a grid with one tab stop', async () => {
    const { page, faults, close } = await site.open(MONTH, { viewport: DESK })
    await page.getByRole('grid', { name: 'June 2031' }).waitFor()
    assert.equal(await page.getByRole('columnheader').count(), 7)
    const stops: boolean[] = []
    await page.getByText('Skip to the content').focus()
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate("document.activeElement.closest('[role=grid]') !== null"))
    }
    assert.equal(stops.filter(Boolean).length, 1)
    assert.deepEqual(faults, [])
    await close()
  })

  it('is walked with arrow keys, Home, End, Page Up and Page Down', async () => {
    const { page, close } = await site.open(MONTH, { viewport: DESK })
    await page.locator('[role=gridcell][tabindex="0"]').focus()
    const steps: [key: string, day: string][] = [
      ['ArrowRight', '2031-06-11'],
      ['ArrowLeft', '2031-06-10'],
      ['ArrowDown', '2031-06-17'],
      ['ArrowUp', '2031-06-10'],
      ['Home', '2031-06-08'],
      ['End', '2031-06-14'],
    ]
    assert.equal(await focused(page), 'day-2031-06-10')
    for (const [key, day] of steps) {
      await page.keyboard.press(key)
      assert.equal(await focused(page), `day-${day}`, key)
    }
    for (const [key, month, day] of [
      ['PageDown', '2031-07', '2031-07-14'],
      ['PageUp', '2031-06', '2031-06-14'],
    ] as const) {
      await Promise.all([page.waitForURL(`**/events/month/${month}/**`), page.keyboard.press(key)])
      await page.waitForFunction(`document.activeElement.id === 'day-${day}'`)
    }
    await close()
  })

  it('goes to the events of a day with Enter, and back with Escape', async () => {
    const { page, close } = await site.open(MONTH, { viewport: DESK })
    await page.locator('#day-2031-06-12').focus()
    await page.keyboard.press('Enter')
    const text = () => page.evaluate<string>('document.activeElement.textContent')
    assert.match(await text(), /Harbour Concert/)
    await page.keyboard.press('ArrowDown')
    assert.match(await text(), /Secret Supper/)
    const card = page.getByRole('tooltip')
    assert.match((await card.textContent()) ?? '', /Secret Supper/)
    await page.keyboard.press('Escape')
    assert.equal(await card.isVisible(), false)
    assert.match(await text(), /Secret Supper/)
    await page.keyboard.press('Escape')
    assert.equal(await page.evaluate('document.activeElement.id'), 'day-2031-06-12')
    await page.keyboard.press('Enter')
    await Promise.all([page.waitForURL('**/event/harbour-concert/'), page.keyboard.press('Enter')])
    await close()
  })

  it('shows 20 letters of a title at 1440 pixels, and 10 at 768', async () => {
    for (const [width, least] of [
      [1440, 20],
      [768, 10],
    ] as const) {
      const { page, close } = await site.open(MONTH, { viewport: { width, height: 900 } })
      const letters = await page.evaluate<number[]>(
        `[...document.querySelectorAll('#day-2031-06-25 > ul a')].map(${LETTERS})`,
      )
      assert.equal(letters.length, 4)
      assert.ok(Math.min(...letters) >= least, `${letters} letters at ${width}`)
      const grid = await page.getByRole('grid').boundingBox()
      assert.ok((grid?.width ?? 0) > width * 0.9)
      await close()
    }
  })

  it('shows the time, place and cost of an event in a card, on hover and on focus', async () => {
    const { page, faults, close } = await site.open(MONTH, { viewport: WIDE })
    const card = page.getByRole('tooltip')
    const link = page.getByRole('grid').getByRole('link', { name: /Harbour Concert/ })
    await link.hover()
    await card.waitFor()
    assert.match(
      (await card.innerText()).replaceAll(/\s+/g, ' '),
      /7:00 PM – 10:00 PM Harbour Concert Harbour Hall, New York \$10 – \$20/,
    )
    // The pointer can move on to the card.
    await card.hover()
    await page.mouse.move(1, 1)
    await card.waitFor({ state: 'hidden' })
    await link.focus()
    await card.waitFor()
    assert.equal(await link.getAttribute('aria-describedby'), await card.getAttribute('id'))
    await page.keyboard.press('Escape')
    assert.equal(await card.isVisible(), false)
    assert.match(await page.evaluate<string>('document.activeElement.textContent'), /Harbour Concert/)
    await page.locator('#day-2031-06-12').focus()
    assert.match(await card.innerText(), /Harbour Hall/)
    assert.doesNotMatch(await card.innerText(), /Hidden Cellar/)
    assert.deepEqual(faults, [])
    await close()
  })

  it('opens the rest of a day in place, and closes it', async () => {
    const { page, faults, close } = await site.open(MONTH, { viewport: DESK })
    const cell = page.locator('#day-2031-06-25')
    const more = cell.getByRole('button')
    assert.match((await more.textContent()) ?? '', /^\+7 more/)
    await more.click()
    await cell.getByText('town band 10').waitFor()
    assert.equal(await cell.getByText('town band').count(), 11)
    assert.equal(page.url(), `${site.origin}${MONTH}`)
    assert.equal(await more.getAttribute('aria-expanded'), 'true')
    await cell.getByRole('link', { name: 'town band 10' }).focus()
    assert.match(await page.getByRole('tooltip').innerText(), /Bandstand 10/)
    await more.click()
    assert.equal(await cell.getByText('town band').count(), 4)
    assert.deepEqual(faults, [])
    await close()
  })

  it('leads from “more” and from a day to the page of the day, without scripts', async () => {
    const { page, close } = await site.open(MONTH, { javaScriptEnabled: false, viewport: DESK })
    await page.locator('#day-2031-06-25').getByText('+7 more').click()
    assert.match(page.url(), /\/events\/day\/2031-06-25\/$/)
    await page.setViewportSize(PHONE)
    await page.goto(site.origin + MONTH)
    await page.locator('#day-2031-06-12').click()
    assert.match(page.url(), /\/events\/day\/2031-06-12\/$/)
    await close()
  })

  it('opens a day below the grid at a tap, on a phone', async () => {
    const { page, faults, close } = await site.open(MONTH, { viewport: PHONE, hasTouch: true })
    const panel = page.getByRole('region', { name: /June/ })
    for (const [day, title] of [
      ['2031-06-12', 'Harbour Concert'],
      ['2031-06-14', 'Street Festival'],
      ['2031-06-25', 'Open rehearsal of the town band 0'],
    ] as const) {
      await page.locator(`#day-${day}`).tap()
      const event = panel.getByRole('link', { name: title })
      await event.waitFor()
      const [below, grid] = [await event.boundingBox(), await page.getByRole('grid').boundingBox()]
      assert.ok((below?.y ?? 0) > (grid?.y ?? 0) + (grid?.height ?? 0))
    }
    await panel.getByRole('button').tap()
    await panel.getByText('town band 10').waitFor()
    await page.locator('#day-2031-06-02').tap()
    await panel.getByText('There are no events on Monday, June 2.').waitFor()
    assert.equal(page.url(), `${site.origin}${MONTH}`)
    assert.deepEqual(faults, [])
    await close()
  })
})
