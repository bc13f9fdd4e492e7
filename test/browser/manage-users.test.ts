import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import { PASSWORD } from '../support/service.ts'
import { OVER, PHONE, type Site, startSite, WIDE } from '../support/site.ts'
import { some } from '../support/thorough.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#a20"/></svg>'

describe('users, account and settings in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  const told = (page: Page, words: string) => page.locator('.notice', { hasText: words }).waitFor()

  for (const javaScriptEnabled of some([true, false], 1)) {
    const how = javaScriptEnabled ? 'with' : 'without'
    it(`lead from an invitation to a removed user ${how} scripts`, async () => {
      const { page, faults, close } = await site.signIn('administrator', '/manage/users', { javaScriptEnabled })
      await page.getByRole('link', { name: 'Invite somebody' }).click()
      const name = `Mara ${how}`
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('E-mail address').fill('editor@example.org')
      await page.getByLabel('Role').selectOption('editor')
      await page.getByRole('button', { name: 'Make an invitation link' }).click()
      await page.locator('[name=email][aria-invalid]').waitFor()
      await page.getByLabel('E-mail address').fill(`mara-${how}@example.org`)
      await page.getByRole('button', { name: 'Make an invitation link' }).click()
      const link = await page.getByLabel('Invitation link').inputValue()

      const invited = await site.open(new URL(link).pathname, { javaScriptEnabled })
      await invited.page.getByLabel('New password').fill('a sentence to remember')
      await invited.page.getByRole('button', { name: 'Set the password and sign in' }).click()
      await invited.page.waitForURL('**/manage')
      assert.equal(await invited.page.locator('.who').textContent(), name)

      await page.goto(`${site.origin}/manage/users`)
      await page.getByRole('link', { name }).click()
      await page.getByLabel('Role').selectOption('author')
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Saved.')
      await page.getByRole('button', { name: 'Disable' }).click()
      await told(page, 'Disabled.')
      await invited.page.goto(`${site.origin}/manage`)
      assert.match(invited.page.url(), /\/sign-in\?next=/)
      await page.getByRole('button', { name: 'Enable' }).click()
      await told(page, 'Enabled again.')
      await page.getByRole('button', { name: 'Remove the user' }).click()
      await told(page, 'The user was removed.')
      assert.deepEqual([...faults, ...invited.faults], [])
      await invited.close()
      await close()
    })

    it(`change the own account ${how} scripts`, async () => {
      const { page, faults, close } = await site.signIn('author', '/manage/account', { javaScriptEnabled })
      const other = await site.signIn('author', '/manage/account', { javaScriptEnabled })
      await page.getByLabel('Language of these screens').selectOption('fr')
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Enregistré')
      await page.getByLabel('Langue de ces écrans').selectOption('')
      await page.getByRole('button', { name: 'Enregistrer' }).click()
      await told(page, 'Saved.')

      await page.getByLabel('Name of a new token').fill('Website')
      await page.getByRole('button', { name: 'Create a token' }).click()
      assert.match(await page.getByLabel('Token', { exact: true }).inputValue(), /^kal_/)
      await page.getByRole('button', { name: 'Revoke Website' }).click()
      await told(page, 'The token no longer works.')

      await page.getByRole('button', { name: 'Sign out all others' }).click()
      await told(page, 'All other sessions have ended.')
      await other.page.reload()
      assert.match(other.page.url(), /\/sign-in/)

      await page.getByLabel('Current password').fill('wrong')
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Change the password' }).click()
      await page.locator('[name=current_password][aria-invalid]').waitFor()
      assert.equal(await page.evaluate('document.activeElement.name'), 'current_password')
      await page.getByLabel('Current password').fill(PASSWORD)
      await page.getByLabel('New password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Change the password' }).click()
      await told(page, 'Saved.')
      assert.deepEqual(faults, [])
      await other.close()
      await close()
    })

    it(`change the settings ${how} scripts`, async () => {
      const { page, faults, close } = await site.signIn('administrator', '/manage/settings', { javaScriptEnabled })
      assert.ok(await page.getByLabel('Time zone').isDisabled())
      await page.getByText('Set by --timezone').waitFor()
      await page.getByLabel('Name of the calendar').fill(`Harbour ${how}`)
      await page.getByLabel('Colour').fill('#aa2200')
      await page.getByLabel('File of the logo').setInputFiles({
        name: 'logo.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from(SVG),
      })
      await page.getByLabel('Anybody may suggest an event').check()
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Saved.')
      const visitor = await site.open('/', { javaScriptEnabled })
      assert.match(await visitor.page.title(), new RegExp(`^Harbour ${how}`))
      await visitor.page.getByRole('link', { name: /Suggest/ }).waitFor()
      const logo = visitor.page.locator('.brand .logo')
      assert.match(String(await logo.getAttribute('src')), /\/assets\/logo\.[\da-f]+\.svg$/)
      if (javaScriptEnabled)
        assert.equal(await visitor.page.evaluate('document.querySelector(".brand .logo").naturalWidth > 0'), true)
      await page.getByLabel('Anybody may suggest an event').uncheck()
      await page.getByLabel('Map tiles').fill('nowhere')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[name=tiles][aria-invalid]').waitFor()
      assert.equal(await page.getByLabel('Anybody may suggest an event').isChecked(), false)
      await page.getByLabel('Map tiles').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await told(page, 'Saved.')
      assert.deepEqual([...faults, ...visitor.faults], [])
      await visitor.close()
      await close()
    })
  }

  it('copy a secret by a button', async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, close } = await site.signIn('editor', '/manage/account', { permissions })
    await page.getByRole('button', { name: 'Create a token' }).click()
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^kal_/)
    await close()
  })

  it('have nothing that axe finds, fit every screen, and speak four languages', async () => {
    const paths = [`users/${site.service.ids.author}`, 'settings', 'account', 'users', 'setup', 'users/new']
    for (const options of some([{ viewport: PHONE, colorScheme: 'dark' as const }, { viewport: WIDE }], 1)) {
      const { page, faults, close } = await site.signIn('administrator', '/manage', options)
      for (const path of some(paths, 3)) {
        for (const language of some(['/en', '/de', '/fr', '/es'], 1)) {
          await page.goto(`${site.origin}${language}/manage/${path}`)
          assert.deepEqual(await violationsOf(page), [], path)
          assert.doesNotMatch(await page.locator('main').innerText(), /manage_screens|\{\w{2,}\}/, path)
          for (const width of some([320, 1440, 768], 2)) {
            await page.setViewportSize({ width, height: 800 })
            assert.ok((await page.evaluate<number>(OVER)) <= 0, `${path} at ${width}`)
          }
        }
      }
      assert.deepEqual(faults, [])
      await close()
    }
  })
})
