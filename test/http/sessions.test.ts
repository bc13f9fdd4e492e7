import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { forgettingSessions } from '../../src/domain/sessions.ts'
import * as users from '../../src/domain/users.ts'
import { clock } from '../support/calendar.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { cookieOf, formBody, signIn } from '../support/staff.ts'

const DAY = 86_400
const REST = '/calendar/events/v1'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const EVENT = { title: 'Harbour Concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 21:00' }

describe('a session', () => {
  let service: Service
  let now = 1_900_000_000
  before(async () => {
    service = await startService({ clock: () => now })
    await service.expect(201, 'editor', '/events', { json: { ...EVENT, status: 'publish' } })
  })
  after(() => service.close())

  const submit = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    service.inject({ method: 'POST', url: '/sign-in', headers: { ...FORM, ...headers }, payload: formBody(fields) })

  it('begins with the right password, by a cookie that scripts cannot read and foreign forms do not send', async () => {
    const form = await service.inject({ url: '/sign-in?next=/manage/events' })
    for (const name of ['user', 'password', 'next']) assert.match(form.body, new RegExp(`name="${name}"`))
    const answer = await submit({ user: 'editor', password: PASSWORD, next: '/manage/events?status=draft' })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/manage/events?status=draft'])
    assert.match(
      String(answer.headers['set-cookie']),
      /^kalends=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
    assert.match(String(answer.headers['cache-control']), /no-store/)
  })

  it('has a cookie for https alone where the base address is https', async () => {
    const secure = await startService({ settings: { baseUrl: 'https://calendar.example.org' } })
    const { cookie, get } = await signIn(secure, 'editor')
    assert.match(cookie, /^__Host-kalends=/)
    assert.equal((await get('/manage')).statusCode, 200)
    await secure.close()
  })

  it('does not begin with a wrong password, an unknown name or a token; the form keeps the name', async () => {
    const token = await users.createToken({ db: service.db, clock: () => now }, 'editor', 'test')
    for (const [user, password] of [
      ['editor', 'wrong'],
      ['<nobody>', PASSWORD],
      ['editor', token],
      ['', ''],
    ] as const) {
      const answer = await submit({ user, password })
      assert.equal(answer.statusCode, 400)
      assert.match(answer.body, /aria-invalid="true"/)
      assert.ok(answer.body.includes(`value="${user.replace('<', '&lt;').replace('>', '&gt;')}"`))
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
  })

  it('is limited in wrong passwords as Basic is, together with it', async () => {
    const limited = await startService({ clock, settings: { loginLimit: '5', rateLimitLoopback: 'true' } })
    const attempt = (password: string) =>
      limited.inject({
        method: 'POST',
        url: '/sign-in',
        headers: FORM,
        payload: formBody({ user: 'author', password }),
      })
    for (let n = 0; n < 3; n++) assert.equal((await attempt('wrong')).statusCode, 400)
    for (let n = 0; n < 2; n++)
      await limited.inject({ url: `${REST}/events`, headers: { authorization: basic('author', 'wrong') } })
    const refused = await attempt(PASSWORD)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    await limited.close()
  })

  it('is not used by whoever chooses its secret, and ends the one before', async () => {
    const chosen = `kalends=${'A'.repeat(43)}`
    const answer = await submit({ user: 'editor', password: PASSWORD }, { cookie: chosen })
    assert.notEqual(cookieOf(answer), chosen)
    assert.equal((await service.inject({ url: '/manage', headers: { cookie: chosen } })).statusCode, 303)
    const again = await submit({ user: 'editor', password: PASSWORD }, { cookie: cookieOf(answer) })
    assert.equal((await service.inject({ url: '/manage', headers: { cookie: cookieOf(answer) } })).statusCode, 303)
    assert.equal((await service.inject({ url: '/manage', headers: { cookie: cookieOf(again) } })).statusCode, 200)
  })

  it('leads only to addresses of this service', async () => {
    const foreign = [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'javascript:alert(1)',
      '/.//evil.example',
      '/%2e//evil.example',
      'http:evil.example',
      '/\t/evil.example',
      'evil.example',
      '/a/..//evil.example',
      'http://calendar.example.org:8080@evil.example/',
      '',
    ]
    for (const next of foreign) {
      const { headers } = await submit({ user: 'editor', password: PASSWORD, next })
      const target = new URL(String(headers.location), 'http://calendar.example.org:8080/sign-in')
      assert.equal(target.origin, 'http://calendar.example.org:8080', next)
    }
    const own = await submit({ user: 'editor', password: PASSWORD, next: 'http://calendar.example.org:8080/events/' })
    assert.equal(own.headers.location, '/events/')
  })

  it('ends by signing out, which needs the token of the session', async () => {
    const { get, post, cookie } = await signIn(service, 'editor')
    const refused = await service.inject({
      method: 'POST',
      url: '/sign-out',
      headers: { ...FORM, cookie },
      payload: '',
    })
    assert.equal(refused.statusCode, 403)
    assert.equal((await get('/manage')).statusCode, 200)
    const left = await post('/sign-out')
    assert.equal(left.statusCode, 303)
    assert.match(String(left.headers['set-cookie']), /^kalends=; .*Max-Age=0/)
    const { statusCode, headers } = await get('/manage?from=here')
    assert.deepEqual([statusCode, headers.location], [303, '/sign-in?next=%2Fmanage%3Ffrom%3Dhere'])
  })

  it('lasts thirty days after its last use', async () => {
    const { get } = await signIn(service, 'author')
    now += 29 * DAY
    const renewed = await get('/manage')
    assert.equal(renewed.statusCode, 200)
    assert.match(String(renewed.headers['set-cookie']), /Max-Age=2592000/)
    now += 29 * DAY
    assert.equal((await get('/manage')).statusCode, 200)
    now += 30 * DAY
    assert.equal((await get('/manage')).statusCode, 303)
    const stored = () => service.db.read((tx) => tx.selectFrom('sessions').select('id').execute())
    assert.ok((await stored()).length > 0)
    await forgettingSessions({ db: service.db, clock: () => now }).run(null as never, new AbortController().signal)
    assert.deepEqual(await stored(), [])
  })

  it('ends when the password is changed', async () => {
    const { get } = await signIn(service, 'contributor')
    await users.setPassword({ db: service.db, clock: () => now }, 'contributor', 'another password')
    assert.equal((await get('/manage')).statusCode, 303)
  })

  it('ends when the user is removed', async () => {
    const store = { db: service.db, clock: () => now }
    await users.create(store, { name: 'guest', email: 'guest@example.org', role: 'author', password: PASSWORD })
    const answer = await submit({ user: 'guest', password: PASSWORD })
    const headers = { cookie: cookieOf(answer) }
    assert.equal((await service.inject({ url: '/manage', headers })).statusCode, 200)
    await users.remove(store, 'guest', null)
    assert.equal((await service.inject({ url: '/manage', headers })).statusCode, 303)
  })

  it('does not sign in to the REST interface, unless its token comes with it', async () => {
    const { cookie, csrf } = await signIn(service, 'editor')
    const create = (headers: Record<string, string>) =>
      service.inject({ method: 'POST', url: `${REST}/events`, headers: { cookie, ...headers }, payload: EVENT })
    assert.equal((await create({})).statusCode, 401)
    assert.equal((await create({ 'x-csrf-token': 'wrong' })).statusCode, 403)
    const other = await signIn(service, 'editor')
    assert.equal((await create({ 'x-csrf-token': other.csrf })).statusCode, 403)
    assert.equal((await create({ 'x-csrf-token': csrf })).statusCode, 201)
    const drafts = (headers: Record<string, string>) =>
      service.inject({ url: `${REST}/events?status=draft`, headers: { cookie, ...headers } })
    assert.equal((await drafts({})).statusCode, 400)
    assert.equal((await drafts({ 'x-csrf-token': csrf })).statusCode, 200)
    const foreign = await create({ 'x-csrf-token': csrf, origin: 'https://evil.example' })
    assert.equal(foreign.statusCode, 403)
  })

  it('never mixes cached public pages with those of its user', async () => {
    const draft = { ...EVENT, title: 'Secret draft', status: 'draft', slug: 'secret-draft' }
    await service.expect(201, 'editor', '/events', { json: draft })
    const { get } = await signIn(service, 'editor')
    const paths = ['/', '/events/', '/events/month/2031-06/', '/events/map/', '/event/harbour-concert/']
    const open = (url: string) => service.inject({ url, headers: { accept: 'text/html' } })
    for (const path of paths) {
      for (let round = 0; round < 2; round++) {
        const own = await get(path)
        assert.match(own.body, /name="csrf"/, path)
        assert.equal(own.headers['cache-control'], 'private, no-store')
        const everybody = await open(path)
        assert.doesNotMatch(everybody.body, /csrf|Sign out|Secret draft/, path)
        assert.match(String(everybody.headers.vary), /Cookie/)
      }
    }
    assert.equal((await get('/event/secret-draft/')).statusCode, 200)
    const unknown = await open('/event/secret-draft/')
    assert.equal(unknown.statusCode, 404)
    assert.match(unknown.body, /href="\/sign-in\?next=%2Fevent%2Fsecret-draft%2F"/)
  })

  it('shows a bar with what its user may do', async () => {
    for (const role of ROLES.filter((one) => one !== 'contributor')) {
      const { get } = await signIn(service, role)
      const { body } = await get('/event/harbour-concert/')
      assert.match(body, /Sign out/)
      assert.equal(/\/manage\/events\/new/.test(body), role !== 'subscriber', role)
      assert.equal(/Edit this event/.test(body), role === 'editor' || role === 'administrator', role)
    }
  })

  it('keeps what was typed when its token is wrong', async () => {
    const { cookie } = await signIn(service, 'editor')
    const secrets = { password: 'open sesame', current_password: 'open sesame' }
    const payload = formBody({ title: 'Long "work"', csrf: 'wrong', do: 'save', 'venue[venue]': 'Hall', ...secrets })
    for (const headers of [{ ...FORM, cookie }, FORM]) {
      const { statusCode, body } = await service.inject({ method: 'POST', url: '/manage/account', headers, payload })
      assert.equal(statusCode, 403)
      assert.doesNotMatch(body, /open sesame/)
      assert.match(body, /name="title" value="Long &quot;work&quot;"/)
      assert.match(body, /name="venue\[venue\]" value="Hall"/)
    }
  })
})
