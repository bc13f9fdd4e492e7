import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const MINUTE = 60
/** Long texts of an event that are changed. */
const CHANGES = 24

/** A long text of few different words in no order. */
function longText(seed: number): string {
  let [text, state] = ['', seed + 1]
  while (text.length < 99_000) {
    state = (state * 48_271) % 2_147_483_647
    text += `${'abcdefghijklmnopqrstuvwxyz'[state % 26]}word${text.length < 4000 ? ' ' : ''}`
  }
  return text
}

describe('a long history', () => {
  let service: Service
  let admin: Staff
  let now = 1_900_000_000
  let id: number
  const texts = [1, 2, 3, 4].map(longText)
  before(async () => {
    service = await startService({ clock: () => now, settings: { maxPerPage: '500' } })
    const json = { title: 'Draft', status: 'draft', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    ;({ id } = await service.expect(201, 'contributor', '/events', { json }))
    for (let n = 0; n < CHANGES; n++) {
      now += 11 * MINUTE
      const description = texts[n % 4]
      await service.expect(200, 'contributor', `/events/${id}`, { json: { description, excerpt: texts[(n + 1) % 4] } })
    }
    admin = await signIn(service, 'administrator')
  })
  after(() => service.close())

  it('is shown on a screen without keeping others waiting', async () => {
    for (const path of [`/manage/events/${id}/versions`, '/manage/audit', `/manage/audit?record=event:${id}`]) {
      const { statusCode, body } = await admin.get(path)
      assert.equal(statusCode, 200)
      assert.match(body, /<dt>Description<\/dt>|Description, /)
      assert.doesNotMatch(body, /aword|zword/, 'a list has the names of long texts')
      assert.ok((await longestHold(() => admin.get(path))) < LONGEST_HOLD, path)
    }
  })

  it('is compared word by word, one version at a time', async () => {
    const [, version = ''] = /versions\/(\d+)"/.exec((await admin.get(`/manage/events/${id}/versions`)).body) ?? []
    const [, entry = ''] = /audit\/(\d+)"/.exec((await admin.get('/manage/audit')).body) ?? []
    for (const path of [`/manage/events/${id}/versions/${version}`, `/manage/audit/${entry}`]) {
      assert.match((await admin.get(path)).body, /<del>.*<ins>/s)
      assert.ok((await longestHold(() => admin.get(path))) < LONGEST_HOLD, path)
    }
    const oldest = `/manage/events/${id}/versions/0`
    assert.ok((await longestHold(() => admin.get(oldest))) < LONGEST_HOLD, oldest)
  })

  it('is answered by the REST interface as far as it fits, and refused in words beyond', async () => {
    for (const path of [`/events/${id}/versions`, '/audit']) {
      const refused: Json = await service.expect(400, 'administrator', path, { query: { per_page: 500 } })
      const most = Number(/at most (\d+)/.exec(refused.data.params.per_page)?.[1])
      const hold = await longestHold(() => service.call('administrator', path, { query: { per_page: 500 } }))
      assert.ok(hold < LONGEST_HOLD, path)
      const found = await service.expect(200, 'administrator', path, { query: { per_page: most } })
      assert.equal((found.versions ?? found.audit).length, most)
      const fitting = await longestHold(() => service.call('administrator', path, { query: { per_page: most } }))
      assert.ok(fitting < LONGEST_HOLD, `${path} of ${most}`)
      await service.expect(200, 'administrator', path, { query: { per_page: 1 } })
    }
  })
})
