import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import { DEVICES, type Site, startSite, tooWide } from '../support/site.ts'
import { IS_THOROUGH, some } from '../support/thorough.ts'
import { eventually } from '../support/workers.ts'

let shade = 0
const png = async (name: string) => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 900, height: 600, channels: 3, background: { r: shade++, g: 90, b: 160 } } })
    .png()
    .toBuffer(),
})

describe('the screens for records and images in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  const told = (page: Page, words: string) => page.locator('.notice', { hasText: words }).waitFor()

  for (const javaScriptEnabled of some([true, false], 1)) {
    const name = javaScriptEnabled ? 'with' : 'without'

    it(`make, change and merge venues ${name} scripts`, async () => {
      const { page, faults, close } = await site.signIn('editor', '/manage/venues', { javaScriptEnabled })
      for (const venue of [`Boathouse ${name}`, `Boat House ${name}`]) {
        await page.goto(`${site.origin}/manage/venues/new`)
        await page.getByLabel('Name (required)').fill(venue)
        await page.getByLabel('City').fill('Port')
        await page.getByRole('button', { name: 'Save' }).click()
        await told(page, 'Created')
      }
      const address = page.url().replace(/\?.*/, '')
      await page.getByLabel('City').fill('Harbour Town')
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Saved')
      assert.equal(await page.getByLabel('City').inputValue(), 'Harbour Town')
      const link = await page.getByRole('link', { name: 'View the page' }).getAttribute('href')
      await page.getByText('Merge a duplicate').click()
      const choice = page.getByLabel('The one that stays')
      const other = choice.locator('option', { hasText: `Boathouse ${name}` })
      await choice.selectOption((await other.getAttribute('value')) ?? '')
      await page.getByRole('button', { name: 'Merge', exact: true }).click()
      await told(page, 'Merged')
      assert.notEqual(page.url().replace(/\?.*/, ''), address)
      await page.goto(`${site.origin}${link}`)
      await page.getByRole('heading', { name: `Boathouse ${name}`, level: 1 }).waitFor()
      assert.deepEqual(faults, [])
      await close()
    })

    it(`keep a tree of categories ${name} scripts`, async () => {
      const { page, faults, close } = await site.signIn('author', '/manage/categories', { javaScriptEnabled })
      await page.getByRole('link', { name: 'New category' }).first().click()
      await page.getByLabel('Name (required)').fill(`Water ${name}`)
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Created')
      await page.goto(`${site.origin}/manage/categories/new`)
      await page.getByLabel('Name (required)').fill(`Rowing ${name}`)
      await page.getByLabel('Part of').selectOption(`Water ${name}`)
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Created')
      await page.getByRole('link', { name: 'Categories' }).last().click()
      const rows = await page.locator('tbody th').allInnerTexts()
      const at = rows.findIndex((row) => row.startsWith(`Water ${name}`))
      assert.match(rows[at + 1] ?? '', new RegExp(`^Rowing ${name}`))
      const edge = (text: string) => page.getByRole('link', { name: text, exact: true }).boundingBox()
      assert.ok(((await edge(`Rowing ${name}`))?.x ?? 0) > ((await edge(`Water ${name}`))?.x ?? 0) + 8)
      assert.deepEqual(faults, [])
      await close()
    })

    it(`add several images and describe one ${name} scripts`, async () => {
      const { page, faults, close } = await site.signIn('editor', '/manage/images', { javaScriptEnabled })
      await page.locator('[name=file]').setInputFiles([await png(`first ${name}.png`), await png(`second ${name}.png`)])
      await page.getByRole('button', { name: 'Upload' }).click()
      await told(page, 'Uploaded')
      await page.getByRole('link', { name: `second ${name}.png` }).click()
      await page.getByLabel('Alternative text').fill(`Waves ${name}`)
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Saved')
      const number = /images\/(\d+)/.exec(page.url())?.[1] ?? ''

      await page.goto(`${site.origin}/manage/events/new`)
      await page.getByLabel('Title').fill(`Chosen ${name}`)
      await page.locator('[name=start_date]').fill('2031-07-05T10:00')
      await page.locator('[name=end_date]').fill('2031-07-05T16:00')
      if (javaScriptEnabled) {
        await page.getByRole('button', { name: 'Choose from the library' }).click()
        await page.getByRole('dialog').getByRole('searchbox').fill('waves')
        await page
          .getByRole('dialog')
          .getByRole('button', { name: `Waves ${name}` })
          .click()
        assert.equal(await page.getByLabel('Alternative text of the image').inputValue(), `Waves ${name}`)
      } else await page.getByLabel('Number of an image in the library').fill(number)
      await page.getByRole('button', { name: 'Save' }).first().click()
      await told(page, 'Created')
      await page.getByRole('link', { name: 'View the page' }).click()
      await page
        .getByRole('img', { name: `Waves ${name}` })
        .first()
        .waitFor()
      await page.goto(`${site.origin}/manage/images/${number}`)
      await page.getByRole('link', { name: `Chosen ${name}` }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Remove for good' }).count(), 0)
      assert.deepEqual(faults, [])
      await close()
    })
  }

  it('say beside the file which one was no picture', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/images')
    const bad = { name: 'letter.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await page.locator('[name=file]').setInputFiles([await png('good one.png'), bad])
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.locator('.progress .failed', { hasText: 'letter.png' }).locator('.problem').waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'good one.png' }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  it('restore an unsaved form of a venue', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/venues/new')
    await page.getByLabel('Name (required)').fill('Not saved yet')
    const isKept = "Object.values(localStorage).some((value) => value.includes('Not saved yet'))"
    await eventually(() => page.evaluate<boolean>(isKept))
    await page.reload()
    assert.equal(await page.getByLabel('Name (required)').inputValue(), 'Not saved yet')
    assert.deepEqual(faults, [])
    await close()
  })

  for (const [device, options] of some(DEVICES, 1))
    it(`have nothing that axe finds, and stay within ${device}`, async () => {
      const { page, faults, close } = await site.signIn('editor', '/manage', options)
      const first = async (section: string) => {
        await page.goto(`${site.origin}/manage/${section}`)
        return page.locator('tbody th a, .gallery a').first().getAttribute('href')
      }
      const paths = ['/manage/images/new']
      for (const section of some(['venues', 'images', 'categories', 'organizers', 'tags'], 2))
        paths.push(
          `/manage/${section}`,
          (await first(section)) ?? '',
          ...(section === 'images' || !IS_THOROUGH ? [] : [`/manage/${section}/new`]),
        )
      for (const path of paths) {
        await page.goto(site.origin + path)
        for (const details of await page.locator('details:not([open]) > summary').all()) await details.click()
        assert.deepEqual(await violationsOf(page), [], path)
        assert.deepEqual(await tooWide(page), [], path)
      }
      assert.deepEqual(faults, [])
      await close()
    })
})
