import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import { PHONE, type Site, startSite, tooWide, WIDE } from '../support/site.ts'
import { some } from '../support/thorough.ts'
import { eventually } from '../support/workers.ts'

describe('the screens of the staff in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  const saved = (page: Page, words: string) => page.locator('.notice', { hasText: words }).waitFor()

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`carry an editor through a day ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, faults, close } = await site.signIn('editor', '/manage', { javaScriptEnabled })
      const title = `Regatta ${javaScriptEnabled}`
      await page.getByRole('link', { name: 'New event' }).first().click()
      await page.getByLabel('Title').fill(title)
      await page.locator('[name=start_date]').fill('2031-07-05T10:00')
      await page.locator('[name=end_date]').fill('2031-07-05T16:00')
      await page.locator('[name=venue]').fill(`Boathouse ${javaScriptEnabled}`)
      if (javaScriptEnabled) {
        await page.locator('.rich').click()
        await page.keyboard.type('Boats of all sizes.')
      } else await page.getByLabel('Description', { exact: true }).fill('Boats of all sizes.')
      const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#357' } })
        .png()
        .toBuffer()
      await page
        .locator('[name=image_file]')
        .setInputFiles({ name: 'boats.png', mimeType: 'image/png', buffer: picture })
      await page.locator('[name=categories]').fill('Sport')
      await page.getByLabel('Status').selectOption('draft')

      const preview = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Preview' }).click()
      const shown = await preview
      await shown.getByRole('heading', { name: title }).waitFor()
      await shown.getByText('Boats of all sizes.').first().waitFor()
      await shown.close()

      await page.getByRole('button', { name: 'Save' }).first().click()
      await saved(page, 'Created')
      const editor = page.url().replace(/\?.*/, '')
      await page.getByLabel('Status').selectOption('publish')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await saved(page, 'Saved')
      await page.getByRole('link', { name: 'View the page' }).click()
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await page.getByText(`Boathouse ${javaScriptEnabled}`).first().waitFor()
      assert.ok((await page.locator('article img').count()) > 0)
      await page.getByRole('link', { name: 'Edit this event' }).click()

      await page.getByRole('button', { name: 'Duplicate' }).click()
      await saved(page, 'This is the copy')
      await page.getByLabel('Title').fill(`${title}, second day`)
      await page.getByRole('button', { name: 'Save' }).first().click()
      await saved(page, 'Saved')

      await page.goto(editor)
      const other = await site.signIn('administrator', new URL(editor).pathname)
      await other.page.getByLabel('Cost').fill('5')
      await other.page.getByRole('button', { name: 'Save' }).first().click()
      await saved(other.page, 'Saved')
      await other.close()
      await page.getByLabel('Website').fill('https://example.org/regatta')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('Somebody else has changed this').waitFor()
      await page.getByRole('button', { name: 'Save' }).first().click()
      await saved(page, 'Saved')
      assert.equal(await page.getByLabel('Cost').inputValue(), '5')
      assert.equal(await page.getByLabel('Website').inputValue(), 'https://example.org/regatta')

      await page.getByRole('button', { name: 'Move to the trash' }).click()
      await saved(page, 'Moved to the trash')
      await page.getByRole('link', { name: 'In the trash' }).click()
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.getByRole('button', { name: 'Restore' }).click()
      await saved(page, 'Restored')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${site.origin}/`)
      assert.deepEqual(faults, [])
      await close()
    })
  }

  it('restore an unsaved form after a reload, and forget it once it is saved', async () => {
    const { page, close } = await site.signIn('editor', '/manage/events/new')
    await page.getByLabel('Title').fill('Half written')
    await page.locator('.rich').click()
    await page.keyboard.type('A long text')
    const isKept = "Object.keys(localStorage).some((key) => localStorage[key].includes('A long text'))"
    await eventually(() => page.evaluate<boolean>(isKept))
    await page.reload()
    await page.getByText('What you had typed before is back').waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Half written')
    assert.match(await page.locator('.rich').innerText(), /A long text/)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await saved(page, 'Created')
    await page.goto(`${site.origin}/manage/events/new`)
    assert.equal(await page.getByLabel('Title').inputValue(), '')
    await close()
  })

  it('keep nothing of a form in which nobody typed, and nothing that was discarded', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/events/new')
    const kept = async () => {
      await page.locator('.rich').waitFor()
      // As helpers for writing do.
      await page.evaluate("document.querySelector('.rich').setAttribute('data-helper', 'on')")
      // Longer than the pause after which what is typed is kept.
      await page.waitForTimeout(600)
      return page.evaluate(() => Object.keys(localStorage))
    }
    assert.deepEqual(await kept(), [])
    await page.locator('.rich').click()
    await page.keyboard.type('Never sent.')
    await eventually(() => page.evaluate<boolean>('localStorage.length === 1'))
    await page.reload()
    await page.getByRole('button', { name: 'Discard it' }).click()
    assert.deepEqual(await kept(), [])
    await page.reload()
    assert.deepEqual(await kept(), [])
    assert.equal(await page.getByRole('button', { name: 'Discard it' }).count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  it('complete names that are known, with the keyboard', async () => {
    const { page, close } = await site.signIn('editor', '/manage/events/new')
    const venue = page.locator('[name=venue]')
    await venue.pressSequentially('harb')
    await page.getByRole('option', { name: 'Harbour Hall' }).waitFor()
    await venue.press('ArrowDown')
    await venue.press('Enter')
    assert.equal(await venue.inputValue(), 'Harbour Hall')
    await close()
  })

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`put the focus on the first field that was refused, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, close } = await site.signIn('editor', '/manage/events/new', { javaScriptEnabled })
      await page.getByLabel('Title').fill('Backwards')
      await page.locator('[name=end_date]').fill('2021-07-05T16:00')
      await page.locator('[name=timezone]').fill('Nowhere/Land')
      await page.getByRole('button', { name: 'Save' }).first().click()
      await page.getByText('Please check these fields').waitFor()
      assert.equal(await page.locator(':focus').getAttribute('name'), 'end_date')
      assert.equal(await page.getByLabel('Title').inputValue(), 'Backwards')
      await close()
    })
  }

  it('change many events, by mouse', async () => {
    const { page, close } = await site.signIn('editor', '/manage/events?search=market')
    await page.getByLabel('All on this page').check()
    await page.getByRole('button', { name: 'Make drafts' }).click()
    await saved(page, 'Changed')
    assert.equal(await page.locator('.mark-draft').count(), await page.locator('tbody tr').count())
    await page.getByLabel('All on this page').check()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await saved(page, 'Changed')
    await close()
  })

  const MODES: Record<string, BrowserContextOptions> = {
    'by night': { viewport: WIDE, colorScheme: 'dark' },
    'on a phone': { viewport: PHONE },
    'by day': { viewport: WIDE },
  }
  for (const [mode, options] of some(Object.entries(MODES), 1)) {
    it(`have nothing that axe finds, and stay within the screen, ${mode}`, async () => {
      const { page, faults, close } = await site.signIn('administrator', '/manage', options)
      const languages = some(['de', 'en', 'fr', 'es'], 1)
      const paths = ['/manage', '/manage/events', '/manage/events/new', '/manage/events?search=nothing-like-this']
      for (const path of some(paths, 3)) {
        for (const language of languages) {
          await page.goto(`${site.origin}/${language}${path}`)
          await page.waitForLoadState('networkidle')
          assert.deepEqual(await violationsOf(page), [], `${language} ${path}`)
          assert.deepEqual(await tooWide(page), [], `${language} ${path}`)
        }
      }
      assert.deepEqual(faults, [])
      await close()
    })
  }
})
