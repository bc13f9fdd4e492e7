import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { violationsOf } from '../support/axe.ts'
import { NO_BROWSER } from '../support/browser.ts'
import type { Json } from '../support/service.ts'
import { OVER, PHONE, type Site, startSite } from '../support/site.ts'
import { some } from '../support/thorough.ts'

describe('series in a browser', { skip: NO_BROWSER }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site?.close())

  const days = async (series: number): Promise<string[]> => {
    const { events } = await site.service.expect(200, null, '/events', { query: { series, per_page: 50 } })
    return events.map(({ start_date }: Json) => start_date.slice(0, 10))
  }
  const idOf = (url: string) => Number(/events\/(\d+)/.exec(url)?.[1])

  it('are made, changed and removed without scripts', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/events/new', { javaScriptEnabled: false })
    await page.getByLabel('Title').fill('Choir')
    await page.locator('[name=start_date]').fill('2031-07-01T19:00')
    await page.locator('[name=end_date]').fill('2031-07-01T21:00')
    await page.getByLabel('Repeats').selectOption('weekly')
    await page.getByLabel('Ends', { exact: true }).last().selectOption('count')
    await page.getByLabel('How many times').fill('4')
    await page.getByText('Further dates and dates left out').click()
    await page.getByLabel('Dates left out').fill('2031-07-08')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.locator('.notice', { hasText: 'Created' }).waitFor()
    const id = idOf(page.url())
    assert.deepEqual(await days(id), ['2031-07-01', '2031-07-15', '2031-07-22'])
    await page.getByLabel('Title').fill('Choir practice')
    await page.getByLabel('All of them').check()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.locator('.notice', { hasText: 'Saved' }).waitFor()
    const { events } = await site.service.expect(200, null, '/events', { query: { series: id } })
    assert.ok(events.every(({ title }: Json) => title === 'Choir practice'))
    await page.goto(`${site.origin}/manage/events/${events[1].id}`)
    await page.getByLabel('This and all that follow').check()
    await page.getByRole('button', { name: 'Move to the trash' }).click()
    await page.waitForURL('**/manage/events?done=*')
    assert.deepEqual(await days(id), ['2031-07-01'])
    assert.deepEqual(faults, [])
    await close()
  })

  it('show only the fields that matter, the next twelve dates, and a calendar to click on', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/events/new')
    const box = page.locator('fieldset.recurrence')
    await page.getByLabel('Title').fill('Yoga')
    await page.locator('[name=start_date]').fill('2031-07-01T19:00')
    await page.locator('[name=end_date]').fill('2031-07-01T21:00')
    assert.equal(await box.getByLabel('How many times').isVisible(), false)
    await box.getByLabel('Repeats').selectOption('weekly')
    assert.equal(await box.getByLabel('Day of the month').isVisible(), false)
    await box.getByRole('checkbox', { name: 'Tuesday' }).check()
    await box.getByRole('checkbox', { name: 'Thursday' }).check()
    await box.locator('.rule', { hasText: 'Every Tuesday and Thursday' }).waitFor()
    assert.equal(await box.locator('.recurrence-preview li').count(), 12)
    await box.getByText('Further dates and dates left out').click()
    await box.getByRole('button', { name: /July 10, 2031: a date of the series/ }).click()
    await box.getByRole('button', { name: /July 10, 2031: left out/ }).waitFor()
    await box.getByRole('button', { name: /July 12, 2031: no date/ }).click()
    await box.getByRole('button', { name: /July 12, 2031: added/ }).waitFor()
    assert.equal(await box.getByLabel('Dates left out').inputValue(), '2031-07-10')
    assert.equal(await box.getByLabel('Further dates', { exact: true }).inputValue(), '2031-07-12')
    await box.getByRole('button', { name: 'Next month' }).click()
    await box.getByRole('button', { name: /August 5, 2031: a date of the series/ }).waitFor()
    await box.getByLabel('Ends', { exact: true }).selectOption('until')
    await box.getByLabel('Last day').fill('2031-07-17')
    await box.locator('.rule', { hasText: 'until 17 July 2031' }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.locator('.notice', { hasText: 'Created' }).waitFor()
    const id = idOf(page.url())
    assert.deepEqual(await days(id), [
      '2031-07-01',
      '2031-07-03',
      '2031-07-08',
      '2031-07-12',
      '2031-07-15',
      '2031-07-17',
    ])
    // Another repetition reaches all, unless something else is chosen.
    await box.getByLabel('Last day').fill('2031-07-10')
    assert.equal(await page.getByLabel('All of them').isChecked(), true)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.locator('.notice', { hasText: 'Saved' }).waitFor()
    assert.deepEqual(await days(id), ['2031-07-01', '2031-07-03', '2031-07-08', '2031-07-12'])
    assert.deepEqual(faults, [])
    await close()
  })

  it('say what is wrong with a rule while it is typed', async () => {
    const { page, faults, close } = await site.signIn('editor', '/manage/events/new', {
      viewport: PHONE,
      colorScheme: 'dark',
    })
    const box = page.locator('fieldset.recurrence')
    await box.getByLabel('Repeats').selectOption('custom')
    await box.getByLabel('Rule').fill('FREQ=MONTHLY;BYDAY=XX')
    await box.locator('.recurrence-preview .problem', { hasText: 'XX' }).waitFor()
    await box.getByLabel('Rule').fill('FREQ=MONTHLY;BYDAY=-1FR')
    await box.locator('.rule', { hasText: 'Every last Friday of the month' }).waitFor()
    assert.equal(await page.evaluate(OVER), 0)
    assert.deepEqual(await violationsOf(page), [])
    assert.deepEqual(faults, [])
    await close()
  })

  it('are accessible on the pages of visitors', async () => {
    const { id, slug } = await site.service.expect(201, 'editor', '/events', {
      json: {
        title: 'Rhyme time',
        start_date: '2031-06-10 10:00',
        end_date: '2031-06-10 11:00',
        recurrence: 'FREQ=WEEKLY;COUNT=30',
      },
    })
    const { page, faults, close } = await site.open('/', { viewport: { width: 320, height: 700 } })
    const paths = [
      `/event/${slug}/`,
      `/events/?series=${id}`,
      '/events/month/2031-06/',
      '/events/?collapse=series',
      '/events/week/2031-06-10/',
    ]
    for (const path of some(paths, 2)) {
      await page.goto(site.origin + path)
      assert.equal(await page.evaluate(OVER), 0, path)
      assert.deepEqual(await violationsOf(page), [], path)
      assert.deepEqual(faults, [], path)
    }
    await close()
  })
})
