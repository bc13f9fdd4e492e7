import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { clock } from '../support/calendar.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { cookieOf, formBody, signIn } from '../support/staff.ts'

const REST = '/calendar/events/v1'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const HOSTILE = '"><img src=x onerror=alert(1)>'
const ACCOUNT = '/manage/account'

describe('the screen of the account', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const signInAs = (user: string, password: string, agent = 'test') =>
    service.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { ...FORM, 'user-agent': agent },
      payload: formBody({ user, password }),
    })
  const statusOf = async (cookie: string) => (await service.inject({ url: ACCOUNT, headers: { cookie } })).statusCode

  it('is for everybody who is signed in', async () => {
    for (const role of ROLES) assert.equal((await (await signIn(service, role)).get(ACCOUNT)).statusCode, 200, role)
    const { statusCode, headers } = await service.inject({ url: ACCOUNT })
    assert.deepEqual([statusCode, headers.location], [303, '/sign-in?next=%2Fmanage%2Faccount'])
  })

  it('changes name, address and language, and nothing of the rights', async () => {
    const staff = await signIn(service, 'contributor')
    const fields = { do: 'save', name: 'Clara', email: 'clara@example.org', language: 'de', role: 'administrator' }
    const answer = await staff.post(ACCOUNT, fields)
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `${ACCOUNT}?done=saved`])
    const page = await staff.get(ACCOUNT)
    assert.match(page.body, /<html lang="de"/)
    assert.match(page.body, /value="Clara"/)
    const me = await service.inject({ url: `${REST}/users/me`, headers: { authorization: basic('clara@example.org') } })
    assert.deepEqual([me.json().name, me.json().role], ['Clara', 'contributor'])
    await staff.post(ACCOUNT, { do: 'save', language: '', name: 'contributor' })
    assert.match((await staff.get(ACCOUNT)).body, /<html lang="en"/)
  })

  it('tells all that is wrong beside the fields, and changes nothing', async () => {
    const staff = await signIn(service, 'author')
    const fields = { do: 'save', name: 'editor@example.org', email: 'nowhere', language: 'xx' }
    const { statusCode, body } = await staff.post(ACCOUNT, fields)
    assert.equal(statusCode, 400)
    assert.equal(body.match(/aria-invalid="true"/g)?.length, 3)
    assert.match(body, /value="nowhere"/)
    assert.equal((await service.expect(200, 'author', '/users/me')).email, 'author@example.org')
  })

  it('changes the password, ends other sessions and goes on with this one', async () => {
    const staff = await signIn(service, 'editor')
    const other = cookieOf(await signInAs('editor', PASSWORD))
    const wrong = await staff.post(ACCOUNT, { do: 'save', current_password: 'wrong', password: 'a new password' })
    assert.equal(wrong.statusCode, 400)
    assert.match(wrong.body, /name="current_password"[^>]*aria-invalid="true"/)
    assert.doesNotMatch(wrong.body, /a new password/)
    const short = await staff.post(ACCOUNT, { do: 'save', current_password: PASSWORD, password: 'short' })
    assert.equal(short.statusCode, 400)
    assert.match(short.body, /name="password"[^>]*aria-invalid="true"/)
    assert.equal(
      (await staff.post(ACCOUNT, { do: 'save', current_password: '', password: 'a new password' })).statusCode,
      400,
    )
    assert.equal(await statusOf(other), 200)
    const changed = await staff.post(ACCOUNT, { current_password: PASSWORD, password: 'a new password' })
    assert.equal(changed.statusCode, 303)
    assert.equal(await statusOf(staff.cookie), 200)
    assert.equal(await statusOf(other), 303)
    assert.equal((await signInAs('editor', PASSWORD)).statusCode, 400)
    assert.equal((await signInAs('editor', 'a new password')).statusCode, 303)
  })

  it('counts a wrong current password like a wrong sign-in', async () => {
    const limited = await startService({ clock, settings: { loginLimit: '3', rateLimitLoopback: 'true' } })
    const staff = await signIn(limited, 'editor')
    const change = () => staff.post(ACCOUNT, { do: 'save', current_password: 'wrong', password: 'a new password' })
    for (let n = 0; n < 3; n++) assert.equal((await change()).statusCode, 400)
    const refused = await change()
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.match(refused.body, /aria-invalid="true"/)
    const { statusCode } = await limited.inject({
      url: `${REST}/events`,
      headers: { authorization: basic('author', 'x') },
    })
    assert.equal(statusCode, 429)
    await limited.close()
  })

  it('makes tokens that are shown once, and revokes only its own', async () => {
    const staff = await signIn(service, 'author')
    const made = await staff.post(ACCOUNT, { do: 'create_token', token_name: HOSTILE, expires: '30d' })
    assert.equal(made.statusCode, 200)
    assert.doesNotMatch(made.body, /<img src=x/)
    const token = /kal_[\w-]{43}/.exec(made.body)?.[0] ?? ''
    const use = () => service.inject({ url: `${REST}/users/me`, headers: { authorization: `Bearer ${token}` } })
    assert.equal((await use()).json().name, 'author')
    const page = (await staff.get(ACCOUNT)).body
    assert.doesNotMatch(page, /kal_|<img src=x/)
    const id = /name="id" value="(\d+)"/.exec(page)?.[1] ?? ''
    const stranger = await signIn(service, 'administrator')
    assert.equal((await stranger.post(ACCOUNT, { do: 'revoke_token', id })).statusCode, 404)
    assert.equal((await use()).statusCode, 200)
    assert.equal((await staff.post(ACCOUNT, { do: 'revoke_token', id })).statusCode, 303)
    assert.equal((await use()).statusCode, 401)
    const bad = await staff.post(ACCOUNT, { do: 'create_token', token_name: 'x'.repeat(101), expires: 'soon' })
    assert.equal(bad.statusCode, 400)
    assert.equal(bad.body.match(/aria-invalid="true"/g)?.length, 2)
  })

  it('lists sessions with their browsers, and ends the others', async () => {
    const staff = await signIn(service, 'subscriber')
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const others = [
      cookieOf(await signInAs('subscriber', PASSWORD, firefox)),
      cookieOf(await signInAs('subscriber', PASSWORD, HOSTILE)),
    ]
    const foreign = await signIn(service, 'author')
    const { body } = await staff.get(ACCOUNT)
    assert.match(body, /Firefox, Linux/)
    assert.doesNotMatch(body, /<img src=x/)
    const refused = await service.inject({
      method: 'POST',
      url: ACCOUNT,
      headers: { ...FORM, cookie: staff.cookie },
      payload: 'do=end_sessions',
    })
    assert.equal(refused.statusCode, 403)
    for (const cookie of others) assert.equal(await statusOf(cookie), 200)
    assert.equal((await staff.post(ACCOUNT, { do: 'end_sessions' })).statusCode, 303)
    for (const cookie of others) assert.equal(await statusOf(cookie), 303)
    assert.equal(await statusOf(staff.cookie), 200)
    assert.equal(await statusOf(foreign.cookie), 200)
  })
})
