import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { NO_BROWSER } from '../support/browser.ts'
import { PHONE, type Site, startSite } from '../support/site.ts'
import { some } from '../support/thorough.ts'

describe('finding events in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  for (const javaScriptEnabled of some([true, false], 1)) {
    it(`tells how many there are, and what was meant, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, faults, close } = await site.open('/', { javaScriptEnabled })
      await page.getByRole('searchbox').fill('cocnert harbor')
      await page.getByRole('searchbox').press('Enter')
      const status = page.locator('.found[role=status]')
      assert.match((await status.textContent()) ?? '', /Did you mean concert harbour\?\s*1 event found/)
      assert.deepEqual(await page.locator('h4').allTextContents(), ['Harbour Concert'])
      await status.getByRole('link').click()
      assert.match(page.url(), /\/events\/\?search=concert\+harbour$/)
      assert.match((await status.textContent()) ?? '', /^\s*1 event found\s*$/)
      assert.deepEqual(faults, [])
      await close()
    })
  }

  it('leads to addresses that show what is chosen, in one row on a phone', async () => {
    for (const viewport of some([{ width: 320, height: 700 }, PHONE], 1)) {
      const { page, close } = await site.open('/', { viewport })
      const choices = page.getByRole('navigation', { name: 'Quick choices' })
      const rows = await choices.getByRole('listitem').evaluateAll((items) => {
        const tops = items.map((item) => Math.round((item as unknown as { offsetTop: number }).offsetTop))
        return new Set(tops).size
      })
      assert.equal(rows, 1)
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      assert.equal(await page.evaluate<number>(wider), 0)
      for (const [name, parameter] of [
        ['Tonight', 'when=tonight'],
        ['This weekend', 'when=weekend'],
        ['Free', 'free=1'],
        ['For families', 'family=1'],
      ] as const) {
        await page.goto(`${site.origin}/`)
        await choices.getByRole('link', { name }).click()
        assert.ok(page.url().endsWith(`/events/?${parameter}`), page.url())
        assert.equal(await choices.locator('[aria-current=true]').textContent(), name)
        // Chosen once more, it is left out again.
        await choices.locator('[aria-current=true]').click()
        assert.ok(page.url().endsWith('/events/'), page.url())
      }
      await close()
    }
  })

  it('asks for the location only when that is wanted, and goes to the nearest events', async () => {
    const { page, faults, close } = await site.open('/')
    const button = page.getByRole('button', { name: 'Near me' })
    await page.context().grantPermissions(['geolocation'])
    await page.context().setGeolocation({ latitude: 43.29512, longitude: 5.37391 })
    await button.click()
    await page.waitForURL(/\/events\/\?geoloc_lat=43\.295&geoloc_lng=5\.374$/)
    assert.match((await page.locator('.distance').first().textContent()) ?? '', /\d\s(km|mi)$/)
    assert.equal(await page.locator('.choices [aria-current=true]').textContent(), 'Near me')
    assert.deepEqual(faults, [])
    await close()
    const refused = await site.open('/events/')
    await refused.page.getByRole('button', { name: 'Near me' }).click()
    await refused.page.getByText('did not tell where you are').waitFor()
    await refused.close()
    const plain = await site.open('/events/', { javaScriptEnabled: false })
    assert.equal(await plain.page.getByText('Near me').isVisible(), false)
    await plain.close()
  })
})
