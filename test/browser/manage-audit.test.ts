import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import type { Json } from '../support/service.ts'
import { DEVICES, type Site, startSite, tooWide } from '../support/site.ts'
import { some } from '../support/thorough.ts'

const TEXT = '<p>Doors open at six, and the band plays from seven until late in the old harbour hall.</p>'

describe('the audit log and versions in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  let event: Json
  before(async () => {
    site = await startSite()
    const json = { title: 'Boat race', start_date: '2031-07-05 10:00', end_date: '2031-07-05 16:00', description: TEXT }
    event = await site.service.expect(201, 'editor', '/events', { json: { ...json, venue: { venue: 'Quay' } } })
    const changed = {
      title: 'Regatta',
      description: TEXT.replace('seven', 'eight'),
      venue: [],
      cost: '5 €',
      tags: ['sea'],
    }
    await site.service.expect(200, 'administrator', `/events/${event.id}`, { json: changed })
    await site.service.expect(200, 'editor', `/events/${event.id}`, { json: { status: 'draft' } })
  })
  after(() => site?.close())

  for (const javaScriptEnabled of some([true, false], 1))
    it(`bring a version back ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { page, faults, close } = await site.signIn('editor', '/manage', { javaScriptEnabled })
      await page.goto(`${site.origin}/manage/events/${event.id}`)
      await page.getByRole('link', { name: 'Versions' }).click()
      await page.getByRole('heading', { name: 'Versions', level: 1 }).waitFor()
      await page.getByRole('link', { name: 'Compare and restore' }).last().click()
      await page.locator('ins', { hasText: 'Boat race' }).waitFor()
      await page.getByRole('button', { name: 'Bring this version back' }).click()
      await page.locator('.notice', { hasText: 'The version was brought back' }).waitFor()
      assert.equal(await page.getByLabel('Title').inputValue(), 'Boat race')
      await site.service.expect(200, 'editor', `/events/${event.id}`, { json: { title: 'Regatta', status: 'draft' } })
      assert.deepEqual(faults, [])
      await close()
    })

  it('show administrators who changed what', async () => {
    const { page, faults, close } = await site.signIn('administrator', '/manage')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByText('Filters').click()
    await page.getByLabel('User').fill('administrator')
    await page.getByLabel('Record').selectOption('event')
    await page.getByRole('button', { name: 'Apply' }).click()
    const row = page.locator('tbody tr', { hasText: 'Regatta' }).first()
    await row.locator('summary').click()
    await row.locator('del', { hasText: 'Boat race' }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  for (const [device, options] of some(DEVICES, 1))
    it(`have nothing that axe finds, and stay within ${device}`, async () => {
      const { page, faults, close } = await site.signIn('administrator', '/manage', options)
      const list = await site.service.expect(200, 'editor', `/events/${event.id}/versions`)
      const first = list.versions.at(-1).version
      const versions = `/manage/events/${event.id}/versions`
      const paths = [`/manage/audit?record=event:${event.id}`, `${versions}/${first}`, '/manage/audit', versions]
      for (const path of some(paths, 2)) {
        await page.goto(site.origin + path)
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
        assert.deepEqual(await violationsOf(page), [], path)
        assert.deepEqual(await tooWide(page), [], path)
      }
      assert.deepEqual(faults, [])
      await close()
    })
})
