import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import * as users from '../../src/domain/users.ts'
import { clock } from '../support/calendar.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { cookieOf, formBody, type Staff, signIn } from '../support/staff.ts'

const DAY = 86_400
const REST = '/calendar/events/v1'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const HOSTILE = '"><img src=x onerror=alert(1)>'

describe('the screen of users', () => {
  let service: Service
  let admin: Staff
  let now = 1_900_000_000
  const store = () => ({ db: service.db, clock: () => now })
  before(async () => {
    service = await startService({ clock: () => now })
    admin = await signIn(service, 'administrator')
  })
  after(() => service.close())

  const idOf = async (name: string) => (await users.list(store())).find((user) => user.name === name)?.id ?? 0
  const add = (name: string, role = 'author') =>
    users.create(store(), { name, email: `${name}@example.org`, role, password: PASSWORD })

  /** Invites a user and returns the path of the link. */
  async function invite(name: string, role = 'author'): Promise<string> {
    const answer = await admin.post('/manage/users/new', { do: 'invite', name, email: `${name}@example.org`, role })
    assert.equal(answer.statusCode, 200, answer.body)
    return /http:\/\/calendar\.example\.org:8080(\/invite\/[\w-]{43})"/.exec(answer.body)?.[1] ?? ''
  }
  const accept = (path: string, password: string, headers: Record<string, string> = {}) =>
    service.inject({ method: 'POST', url: path, headers: { ...FORM, ...headers }, payload: formBody({ password }) })

  it('lists all of them with their roles', async () => {
    const { statusCode, body } = await admin.get('/manage/users')
    assert.equal(statusCode, 200)
    for (const role of ROLES) assert.match(body, new RegExp(`${role}@example.org`))
    assert.match(body, /href="\/manage\/users\/new"/)
  })

  it('takes an invitation at the address of the list, too', async () => {
    const fields = { do: 'invite', name: 'listed', email: 'listed@example.org', role: 'author' }
    const { statusCode, body } = await admin.post('/manage/users', fields)
    assert.equal(statusCode, 200)
    assert.match(body, /\/invite\/[\w-]{43}"/)
    const again = await admin.post('/manage/users', fields)
    assert.equal(again.statusCode, 400)
    assert.match(again.body, /aria-invalid="true"/)
  })

  it('is for administrators alone, with every action', async () => {
    const id = await add('target')
    for (const role of ROLES.filter((one) => one !== 'administrator')) {
      const staff = await signIn(service, role)
      for (const path of ['/manage/users', '/manage/users/new', `/manage/users/${id}`]) {
        assert.equal((await staff.get(path)).statusCode, 403, `${role} ${path}`)
        for (const action of ['invite', 'save', 'disable', 'enable', 'remove'])
          assert.ok(
            [403, 404].includes((await staff.post(path, { do: action, role: 'administrator' })).statusCode),
            `${role} ${path} ${action}`,
          )
      }
      assert.doesNotMatch((await staff.get('/manage/account')).body, /\/manage\/(users|settings)"/)
    }
    assert.equal((await users.list(store())).find((user) => user.id === id)?.role, 'author')
    const nobody = await service.inject({ url: `/manage/users/${id}?x=1` })
    assert.deepEqual(
      [nobody.statusCode, nobody.headers.location],
      [303, `/sign-in?next=%2Fmanage%2Fusers%2F${id}%3Fx%3D1`],
    )
  })

  it('needs the token of the session for every action', async () => {
    const id = await idOf('target')
    for (const action of ['save', 'disable', 'remove', 'invite']) {
      const headers = { ...FORM, cookie: admin.cookie }
      const payload = formBody({ do: action, role: 'editor', csrf: 'wrong' })
      const answer = await service.inject({ method: 'POST', url: `/manage/users/${id}`, headers, payload })
      assert.equal(answer.statusCode, 403, action)
    }
    const target = (await users.list(store())).find((user) => user.id === id)
    assert.deepEqual([target?.role, target?.disabled_utc], ['author', null])
  })

  it('invites by a link, which sets a password and signs in', async () => {
    const path = await invite('mara', 'editor')
    const wrong = await service.inject({ url: `${REST}/events`, headers: { authorization: basic('mara', '') } })
    assert.equal(wrong.statusCode, 401)
    const form = await service.inject({ url: path, headers: { accept: 'text/html' } })
    assert.equal(form.statusCode, 200)
    assert.match(form.body, /name="password"/)
    assert.match(String(form.headers['cache-control']), /no-store/)
    assert.equal(form.headers['referrer-policy'], 'same-origin')
    const short = await accept(path, 'short')
    assert.equal(short.statusCode, 400)
    assert.match(short.body, /aria-invalid="true"/)
    const token = await accept(path, 'kal_looks like a token')
    assert.equal(token.statusCode, 400)
    const answer = await accept(path, 'a long sentence', { cookie: `kalends=${'A'.repeat(43)}` })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/manage'])
    assert.doesNotMatch(cookieOf(answer), /A{43}/)
    assert.equal((await service.inject({ url: '/manage', headers: { cookie: cookieOf(answer) } })).statusCode, 200)
    const rest = await service.inject({
      url: `${REST}/events`,
      headers: { authorization: basic('mara', 'a long sentence') },
    })
    assert.equal(rest.statusCode, 200)
    assert.equal((await accept(path, 'another sentence')).statusCode, 404, 'once')
  })

  it('invites by a link that one of several at once can use', async () => {
    const path = await invite('ben')
    const answers = await Promise.all([1, 2, 3].map((n) => accept(path, `a sentence of ${n}`)))
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 404, 404])
  })

  it('invites by a link that ends after seven days, by a newer one, and with the user', async () => {
    const old = await invite('late')
    now += 7 * DAY
    admin = await signIn(service, 'administrator')
    assert.equal((await service.inject({ url: old })).statusCode, 404)
    const id = await idOf('late')
    const again = async () =>
      /(\/invite\/[\w-]{43})"/.exec((await admin.post(`/manage/users/${id}`, { do: 'invite' })).body)?.[1] ?? ''
    const first = await again()
    const second = await again()
    assert.equal((await service.inject({ url: first })).statusCode, 404)
    assert.equal((await service.inject({ url: second })).statusCode, 200)
    await admin.post(`/manage/users/${id}`, { do: 'disable' })
    assert.equal((await service.inject({ url: second })).statusCode, 404)
    assert.equal((await admin.post(`/manage/users/${id}`, { do: 'invite' })).statusCode, 400)
    await admin.post(`/manage/users/${id}`, { do: 'enable' })
    const third = await again()
    await admin.post(`/manage/users/${id}`, { do: 'remove' })
    assert.equal((await service.inject({ url: third })).statusCode, 404)
  })

  it('invites by a link that ends when the user gets a password in another way', async () => {
    const id = await add('paul')
    const again = async () =>
      /(\/invite\/[\w-]{43})"/.exec((await admin.post(`/manage/users/${id}`, { do: 'invite' })).body)?.[1] ?? ''
    const ends = async (path: string) => assert.equal((await service.inject({ url: path })).statusCode, 404)
    const byCommand = await again()
    await users.setPassword(store(), 'paul', 'set on the command line')
    await ends(byCommand)
    const byThemselves = await again()
    const staff = await signIn(service, 'paul', 'set on the command line')
    const fields = { do: 'save', current_password: 'set on the command line', password: 'set by themselves' }
    assert.equal((await staff.post('/manage/account', fields)).statusCode, 303)
    await ends(byThemselves)
    const byLink = await again()
    assert.equal((await accept(byLink, 'set by the link')).statusCode, 303)
    await ends(byLink)
    assert.equal((await staff.get('/manage')).statusCode, 303, 'the session ends with the password')
  })

  it('ends the session that the browser had when it opens an invitation', async () => {
    const path = await invite('carla')
    const other = await signIn(service, 'contributor')
    const answer = await accept(path, 'a long sentence', { cookie: other.cookie })
    assert.equal(answer.statusCode, 303)
    assert.equal((await other.get('/manage')).statusCode, 303)
  })

  it('limits guesses at invitations together with wrong passwords', async () => {
    const limited = await startService({ clock, settings: { loginLimit: '3', rateLimitLoopback: 'true' } })
    for (let n = 0; n < 3; n++)
      assert.equal((await limited.inject({ url: `/invite/${String(n).repeat(43)}` })).statusCode, 404)
    assert.equal((await limited.inject({ url: `/invite/${'x'.repeat(43)}` })).statusCode, 429)
    await limited.close()
  })

  it('tells all that is wrong with an invitation beside its fields, in four languages, and keeps what was typed', async () => {
    for (const [language, words] of [
      ['en', 'Another user signs in with this already.'],
      ['de', 'Damit meldet sich schon ein anderer Benutzer an.'],
      ['fr', 'Un autre utilisateur se connecte déjà avec cette valeur.'],
      ['es', 'Otro usuario ya inicia sesión con este dato.'],
    ] as const) {
      const fields = { do: 'invite', name: 'EDITOR', email: 'no address', role: 'king' }
      const { statusCode, body } = await admin.post(`/${language}/manage/users/new`, fields)
      assert.equal(statusCode, 400)
      assert.equal(body.match(/aria-invalid="true"/g)?.length, 3, language)
      assert.ok(body.includes(words), language)
      assert.match(body, /value="EDITOR"/)
    }
    const taken = { do: 'invite', name: 'editor@example.org', email: 'new@example.org', role: 'author' }
    assert.equal((await admin.post('/manage/users/new', taken)).statusCode, 400, 'the address of another as a name')
  })

  it('changes role and address at once, in every session', async () => {
    const id = await add('dana', 'contributor')
    const { headers } = await service.inject({
      method: 'POST',
      url: '/sign-in',
      headers: FORM,
      payload: formBody({ user: 'dana', password: PASSWORD }),
    })
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    assert.equal((await service.inject({ url: '/manage/users', headers: { cookie } })).statusCode, 403)
    const fields = { do: 'save', role: 'administrator', email: 'dana@new.example.org' }
    const answer = await admin.post(`/manage/users/${id}`, fields)
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `/manage/users/${id}?done=saved`])
    assert.equal((await service.inject({ url: '/manage/users', headers: { cookie } })).statusCode, 200)
    assert.match((await admin.get(`/manage/users/${id}`)).body, /dana@new\.example\.org/)
    await admin.post(`/manage/users/${id}`, { do: 'save', role: 'author' })
    assert.equal((await service.inject({ url: '/manage/users', headers: { cookie } })).statusCode, 403)
    const refused = await admin.post(`/manage/users/${id}`, { do: 'save', role: 'king', email: 'editor@example.org' })
    assert.equal(refused.statusCode, 400)
    assert.equal(refused.body.match(/aria-invalid="true"/g)?.length, 2)
  })

  it('disables and enables: sessions end, and tokens and the password do not work', async () => {
    const id = await add('erik')
    const token = await users.createToken(store(), 'erik', 'test')
    const signed = () =>
      service.inject({
        method: 'POST',
        url: '/sign-in',
        headers: FORM,
        payload: formBody({ user: 'erik', password: PASSWORD }),
      })
    const cookie = cookieOf(await signed())
    const byToken = () => service.inject({ url: `${REST}/users/me`, headers: { authorization: `Bearer ${token}` } })
    assert.equal((await byToken()).statusCode, 200)
    assert.equal((await admin.post(`/manage/users/${id}`, { do: 'disable' })).statusCode, 303)
    assert.equal((await service.inject({ url: '/manage', headers: { cookie } })).statusCode, 303)
    assert.equal((await byToken()).statusCode, 401)
    assert.equal((await signed()).statusCode, 400)
    assert.match((await admin.get(`/manage/users/${id}`)).body, /value="enable"/)
    assert.equal((await admin.post(`/manage/users/${id}`, { do: 'enable' })).statusCode, 303)
    assert.equal((await byToken()).statusCode, 200)
    assert.equal((await service.inject({ url: '/manage', headers: { cookie } })).statusCode, 303)
    assert.equal((await signed()).statusCode, 303)
  })

  it('removes a user, whose records go to another', async () => {
    const id = await add('frida')
    const { id: event } = (
      await service.inject({
        method: 'POST',
        url: `${REST}/events`,
        headers: { authorization: basic('frida') },
        payload: { title: 'Reading', start_date: '2031-06-10 19:00', end_date: '2031-06-10 21:00', status: 'publish' },
      })
    ).json()
    for (const reassign of ['', String(id), '999999', 'x']) {
      const fields = { do: 'remove', reassign }
      const refused = await admin.post(`/manage/users/${id}`, fields)
      assert.equal(refused.statusCode, 400, reassign)
      assert.match(refused.body, /<select[^>]+name="reassign"[^>]+aria-invalid="true"/)
    }
    const answer = await admin.post(`/manage/users/${id}`, { do: 'remove', reassign: String(service.ids.editor) })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/manage/users?done=user_removed'])
    assert.equal((await service.expect(200, null, `/events/${event}`)).author, String(service.ids.editor))
    assert.equal((await admin.get(`/manage/users/${id}`)).statusCode, 404)
    assert.equal((await admin.post(`/manage/users/${id}`, { do: 'save', role: 'editor' })).statusCode, 404)
  })

  it('keeps the last administrator who can sign in, on the command line too', async () => {
    const id = service.ids.administrator
    await invite('second', 'administrator')
    const changes: Record<string, string>[] = [
      { do: 'save', role: 'editor' },
      { do: 'disable' },
      { do: 'remove', reassign: String(service.ids.editor) },
    ]
    for (const fields of changes) {
      const answer = await admin.post(`/manage/users/${id}`, fields)
      assert.equal(answer.statusCode, 400, fields.do ?? '')
      assert.match(answer.body, /last administrator/)
    }
    await assert.rejects(users.setRole(store(), 'administrator', 'editor'), /last administrator/)
    await assert.rejects(users.remove(store(), 'administrator', 'editor'), /last administrator/)
    await users.setRole(store(), 'administrator', 'administrator')
    assert.equal((await admin.get('/manage/users')).statusCode, 200)
  })

  it('keeps one of two administrators who are changed at once', async () => {
    for (const change of ['save', 'disable', 'remove']) {
      const other = await startService()
      const first = await signIn(other, 'administrator')
      const second = await users.create(
        { db: other.db, clock: () => now },
        { name: 'two', email: 'two@example.org', role: 'administrator', password: PASSWORD },
      )
      const fields = { do: change, ...(change === 'save' && { role: 'author' }) }
      const answers = await Promise.all(
        [other.ids.administrator, second].map((id) => first.post(`/manage/users/${id}`, fields)),
      )
      assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 400], change)
      const left = (await users.list({ db: other.db, clock: () => now })).filter(
        ({ role, disabled_utc }) => role === 'administrator' && disabled_utc === null,
      )
      assert.equal(left.length, 1, change)
      await other.close()
    }
  })

  it('shows hostile names as text', async () => {
    const { status } = await service.db.write(async (tx) => {
      await tx.updateTable('users').set({ name: HOSTILE, email: HOSTILE }).where('name', '=', 'dana').execute()
      return { status: 'done' }
    })
    assert.equal(status, 'done')
    const id = await idOf(HOSTILE)
    for (const path of ['/manage/users', `/manage/users/${id}`, `/manage/users/${service.ids.author}`])
      assert.doesNotMatch((await admin.get(path)).body, /<img src=x/, path)
    const refused = await admin.post('/manage/users/new', {
      do: 'invite',
      name: HOSTILE,
      email: HOSTILE,
      role: HOSTILE,
    })
    assert.equal(refused.statusCode, 400)
    assert.doesNotMatch(refused.body, /<img src=x/)
  })
})
