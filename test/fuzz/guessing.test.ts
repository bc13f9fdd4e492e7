import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Limits } from '../../src/domain/limits.ts'
import { PasswordAttempts } from '../../src/domain/password-attempts.ts'
import { SignIns } from '../../src/domain/sign-ins.ts'
import * as users from '../../src/domain/users.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { PasswordChecker } from '../../src/lib/passwords.ts'
import { has } from '../../src/storage/sign-ins.ts'
import { find } from '../../src/storage/users.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { eventually } from '../support/workers.ts'

const API = '/calendar/events/v1'
const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

/** Guesses are counted by the minute: what a minute's end interrupts is done again in the next. */
async function withinMinute(work: () => Promise<void>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000)
  for (;;) {
    const began = minute()
    try {
      await work()
    } catch (error) {
      if (minute() === began) throw error
    }
    if (minute() === began) return
  }
}

let network = 0
/** An address that nobody has used before. */
const freshAddress = () => {
  network++
  return `198.18.${network >> 8}.${network & 255}`
}
const tally = (statuses: readonly number[]) =>
  Object.fromEntries([...new Set(statuses)].sort().map((one) => [one, statuses.filter((s) => s === one).length]))

describe('guesses at the password of an event', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { loginLimit: '5' } })
  })
  after(() => service.close())

  const protect = async () => {
    const json = { title: 'Secret supper', password: 'open sesame', ...WHEN }
    const { id, slug } = await service.expect(201, 'editor', '/events', { json })
    return { id: Number(id), slug: String(slug) }
  }
  const ways = (event: { id: number; slug: string }, password: string) => {
    const query = `?${new URLSearchParams({ password })}`
    return [
      { url: `${API}/events/${event.id}${query}` },
      { url: `${API}/events/by-slug/${event.slug}${query}` },
      { url: `/fr${API}/events/${event.id}${query}` },
      { url: `${API}/events/${event.id}${query}`, method: 'HEAD' as const },
      {
        url: `/event/${event.slug}/`,
        method: 'POST' as const,
        payload: new URLSearchParams({ password }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]
  }
  const read = async (event: { id: number }, password: string, remoteAddress: string) =>
    service.inject({ url: `${API}/events/${event.id}?${new URLSearchParams({ password })}`, remoteAddress })
  const status = async (...args: Parameters<typeof read>) => (await read(...args)).statusCode

  it('are counted by address, whichever way they come, and with wrong logins', async () => {
    const event = await protect()
    await withinMinute(async () => {
      const guesser = freshAddress()
      for (const way of ways(event, `wrong ${guesser}`)) {
        assert.equal((await service.inject({ ...way, remoteAddress: guesser })).statusCode, 403, way.url)
      }
      for (const way of ways(event, 'open sesame')) {
        const refused = await service.inject({ ...way, remoteAddress: guesser })
        assert.equal(refused.statusCode, 429, way.url)
        assert.ok(Number(refused.headers['retry-after']) > 0)
      }
      const headers = { authorization: basic('editor') }
      const login = await service.inject({ url: `${API}/tags`, remoteAddress: guesser, headers })
      assert.equal(login.statusCode, 429)
      for (const way of ways(event, 'open sesame')) {
        assert.equal((await service.inject({ ...way, remoteAddress: freshAddress() })).statusCode, 200, way.url)
      }
    })
  })

  it('that come at once are not checked beyond the limit, and right ones are', async () => {
    const event = await protect()
    await withinMinute(async () => {
      const guesser = freshAddress()
      const wrong = await Promise.all(Array.from({ length: 40 }, (_, n) => status(event, `wrong ${n}`, guesser)))
      assert.deepEqual(tally(wrong), { 403: 5, 429: 35 })
      const visitor = freshAddress()
      const right = await Promise.all(Array.from({ length: 40 }, () => status(event, 'open sesame', visitor)))
      assert.deepEqual(tally(right), { 200: 40 })
    })
  })

  it('that are refused to one address are not refused to another who sends the same at once', async () => {
    const event = await protect()
    await withinMinute(async () => {
      const [guesser, visitor] = [freshAddress(), freshAddress()]
      for (let n = 0; n < 5; n++) assert.equal(await status(event, `wrong ${n}`, guesser), 403)
      const sent = [guesser, visitor, guesser, visitor].map((address) => status(event, 'open sesame', address))
      assert.deepEqual(await Promise.all(sent), [429, 200, 429, 200])
    })
  })

  it('are at most 100 a minute, all addresses together; who opened it before still may', async () => {
    await withinMinute(async () => {
      const [event, other] = [await protect(), await protect()]
      const visitor = freshAddress()
      assert.equal(await status(event, 'open sesame', visitor), 200)
      const wrong = await Promise.all(
        Array.from({ length: 160 }, (_, n) => status(event, `wrong ${n}`, freshAddress())),
      )
      assert.deepEqual(tally(wrong), { 403: 100, 429: 60 })
      const late = await read(event, 'open sesame', freshAddress())
      assert.equal(late.statusCode, 429)
      assert.ok(Number(late.headers['retry-after']) > 0)
      assert.equal(await status(event, 'open sesame', visitor), 200)
      assert.equal(await status(event, 'another', visitor), 429)
      assert.equal(await status(other, 'open sesame', freshAddress()), 200)
    })
  })

  it('of which there are many do not keep anybody from signing in', async () => {
    const event = await protect()
    const store = { db: service.db, clock: systemClock }
    const names = Array.from({ length: 8 }, (_, n) => `colleague${n}`)
    for (const name of names)
      await users.create(store, { name, email: `${name}@example.org`, role: 'editor', password: PASSWORD })
    const guesses = Array.from({ length: 80 }, (_, n) => status(event, `guess ${n}`, freshAddress()))
    // Until all of them are being looked at.
    for (let turn = 0; turn < 200; turn++) await setImmediate()
    const signIns = names.map(async (name) => {
      const headers = { authorization: basic(name) }
      return (await service.inject({ url: `${API}/tags`, remoteAddress: freshAddress(), headers })).statusCode
    })
    assert.deepEqual(tally(await Promise.all(signIns)), { 200: 8 })
    await Promise.all(guesses)
  })
})

describe('wrong passwords of users', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const attempt = async (name: string, password: string, remoteAddress: string) => {
    const headers = { authorization: basic(name, password) }
    return (await service.inject({ url: `${API}/tags`, remoteAddress, headers })).statusCode
  }

  it('that come at once from one address are not checked beyond the limit', async () => {
    await withinMinute(async () => {
      const guesser = freshAddress()
      const wrong = await Promise.all(Array.from({ length: 100 }, (_, n) => attempt('author', `wrong ${n}`, guesser)))
      assert.deepEqual(tally(wrong), { 401: 20, 429: 80 })
    })
  })

  it('do not stop right ones that come at once', async () => {
    const user = freshAddress()
    const right = await Promise.all(Array.from({ length: 60 }, () => attempt('author', PASSWORD, user)))
    assert.deepEqual(tally(right), { 200: 60 })
  })

  it('from many addresses delay others who try the same name, and not its owner', async () => {
    const owner = freshAddress()
    assert.equal(await attempt('subscriber', PASSWORD, owner), 200)
    const order: string[] = []
    await withinMinute(async () => {
      const wrong = Array.from({ length: 104 }, (_, n) =>
        attempt(n % 2 ? 'subscriber' : 'Subscriber@example.org', `wrong ${n}`, freshAddress()),
      )
      const settled = await Promise.all(wrong)
      // Delayed, not refused.
      assert.deepEqual(tally(settled), { 401: 104 })
      order.length = 0
      const note = (who: string) => (status: number) => order.push(`${who} ${status}`)
      await Promise.all([
        attempt('subscriber', PASSWORD, freshAddress()).then(note('stranger')),
        attempt('subscriber', PASSWORD, owner).then(note('owner')),
        attempt('contributor', PASSWORD, freshAddress()).then(note('somebody else')),
      ])
    })
    assert.equal(order.at(-1), 'stranger 200')
    assert.deepEqual(order.slice(0, 2).sort(), ['owner 200', 'somebody else 200'])
  })

  it('are told apart from names that cannot be, which are wrong as well', async () => {
    for (const name of ['edi\0tor', '\0', 'editor\0', 'editor@example.org\0', '\u0001', '\\', '"'])
      assert.equal(await attempt(name, PASSWORD, freshAddress()), 401, JSON.stringify(name))
  })

  it('delay nobody at an address that another process has seen the user sign in from', async () => {
    const [user, clock] = [await service.db.read((tx) => find(tx, 'editor')), systemClock]
    assert.ok(user !== undefined)
    const store = { db: service.db, clock, passwords: new PasswordChecker(clock) }
    const account = { name: 'editor', user }
    const from = (network: string) => ({
      sender: { network, isLimited: true },
      slowly: (verify: () => Promise<boolean>) => verify(),
    })
    const known = Array.from({ length: 60 }, () => freshAddress())
    const before = new SignIns(new PasswordAttempts(new Limits(null), 0))
    const remembered = async () =>
      (await service.db.read((tx) => tx.selectFrom('sign_ins').selectAll().where('user', '=', user.id).execute()))
        .length
    for (const network of known) assert.equal(await before.check(store, account, PASSWORD, from(network)), true)
    // The latest of them are remembered.
    await eventually(async () => (await remembered()) === 50)
    await withinMinute(async () => {
      const limits = new Limits(null)
      for (let n = 0; n < 100; n++) limits.hit(`account ${user.id}`)
      const signIns = new SignIns(new PasswordAttempts(limits, 0))
      const latest = await Promise.all(
        known.map(async (network) => {
          const address = hash('sha256', `${user.id} ${network}`, 'base64url')
          return (await service.db.read((tx) => has(tx, user.id, address, 0))) ? [network] : []
        }),
      )
      const order: string[] = []
      const check = async (network: string, who: string) => {
        assert.equal(await signIns.check(store, account, PASSWORD, from(network)), true)
        order.push(who)
      }
      await Promise.all([check(freshAddress(), 'stranger'), check(latest.flat()[0] ?? '', 'owner')])
      assert.deepEqual(order, ['owner', 'stranger'])
    })
  })
})
