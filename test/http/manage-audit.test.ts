import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const EVENT = { title: 'Concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

describe('the screens of the audit log and of versions', () => {
  let service: Service
  let admin: Staff
  let editor: Staff
  let event: Json
  before(async () => {
    service = await startService()
    admin = await signIn(service, 'administrator')
    editor = await signIn(service, 'editor')
    event = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, venue: { venue: 'Old <Hall>' }, description: 'A long text about the concert in the old hall.' },
    })
    await service.expect(200, 'editor', `/events/${event.id}`, {
      json: { title: 'Recital', venue: [], description: 'A long text about the recital in the new hall.' },
    })
  })
  after(() => service.close())

  it('show who changed what, with names and differences', async () => {
    const { body, statusCode } = await admin.get(`/manage/audit?record=event:${event.id}`)
    assert.equal(statusCode, 200)
    assert.match(body, /2 changes/)
    assert.match(body, /changed.*Title.*<del dir="auto">Concert<\/del>.*<ins dir="auto">Recital<\/ins>/s)
    assert.match(body, /Old &lt;Hall&gt;/)
    assert.doesNotMatch(body, /A long text/, 'a list names long texts')
    const [, entry = ''] = /href="(\/manage\/audit\/\d+)">Compare/.exec(body) ?? []
    const one = (await admin.get(entry)).body
    assert.match(one, /about the <del>concert <\/del><ins>recital <\/ins>in the <del>old <\/del><ins>new <\/ins>hall/)
    assert.equal((await admin.get('/manage/audit/999999')).statusCode, 404)
    assert.equal((await editor.get(entry)).statusCode, 403)
    assert.match(body, /editor<\/span> <span class="quiet">REST interface, 127\.0\.0\.1/)
    assert.match((await admin.get('/manage/audit', { 'accept-language': 'de' })).body, /Protokoll.*geändert/s)
    assert.match((await admin.get('/manage')).body, /href="\/manage\/audit"/)
  })

  it('find changes, and say what is wrong with a filter', async () => {
    const venues = (await admin.get('/manage/audit?record=venue&action=created')).body
    assert.match(venues, /1 change\b/)
    assert.match((await admin.get('/manage/audit?user=nobody')).body, /No change was found/)
    const wrong = await admin.get('/manage/audit?after=never')
    assert.deepEqual([wrong.statusCode, /id="problem-after"/.test(wrong.body)], [200, true])
  })

  it('log what a screen does, with the user and the way', async () => {
    await editor.post('/manage/venues/new', { do: 'save', venue: 'By a screen', flags: '1' })
    const page = (await admin.get('/manage/audit?way=screen')).body
    assert.match(page, /By a screen.*created.*editor.*screen, 127\.0\.0\.1/s)
  })

  it('compare a version with now, and bring it back', async () => {
    assert.match(
      (await editor.get(`/manage/events/${event.id}`)).body,
      new RegExp(`/manage/events/${event.id}/versions`),
    )
    const list = (await editor.get(`/manage/events/${event.id}/versions`)).body
    assert.match(list, /2 versions/)
    assert.doesNotMatch(list, /127\.0\.0\.1/)
    const [, version = ''] = /versions\/(\d+)"/.exec(list) ?? []
    const one = (await editor.get(`/manage/events/${event.id}/versions/${version}`)).body
    assert.match(one, /<del dir="auto">Recital<\/del>.*<ins dir="auto">Concert<\/ins>/s)
    assert.match(one, /name="do" value="restore_version"/)
    const path = `/manage/events/${event.id}`
    const restored = await editor.post(`${path}/versions`, { do: 'restore_version', version })
    assert.deepEqual([restored.statusCode, restored.headers.location], [303, `${path}?done=version_restored`])
    assert.equal((await service.expect(200, null, `/events/${event.id}`)).title, 'Concert')
    const wrong = await editor.post(`${path}/versions`, { do: 'restore_version', version: '99999' })
    assert.deepEqual([wrong.statusCode, /no such version/.test(wrong.body)], [404, true])
    const forged = await editor.post(`${path}/versions`, { do: 'restore_version', version, csrf: 'x' })
    assert.notEqual(forged.statusCode, 303)
  })

  it('are there for venues and organizers', async () => {
    for (const kind of ['venue', 'organizer']) {
      const { id } = await service.expect(201, 'editor', `/${kind}s`, { json: { [kind]: 'First' } })
      await service.expect(200, 'editor', `/${kind}s/${id}`, { json: { [kind]: 'Second' } })
      const list = (await editor.get(`/manage/${kind}s/${id}/versions`)).body
      const [, version = ''] = /versions\/(\d+)"/.exec(list) ?? []
      const { headers } = await editor.post(`/manage/${kind}s/${id}/versions`, { do: 'restore_version', version })
      assert.equal(headers.location, `/manage/${kind}s/${id}?done=version_restored`)
      assert.equal((await service.expect(200, null, `/${kind}s/${id}`))[kind], 'First')
    }
  })

  it('are for those who may', async () => {
    for (const role of ROLES.filter((one) => one !== 'administrator'))
      assert.equal((await (await signIn(service, role)).get('/manage/audit')).statusCode, 403, role)
    const contributor = await signIn(service, 'contributor')
    assert.equal((await contributor.get(`/manage/events/${event.id}/versions`)).statusCode, 403)
    const nobody = await service.inject({ url: '/manage/audit' })
    assert.equal(nobody.statusCode, 303)
  })
})
