import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import * as users from '../../src/domain/users.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { eventually } from '../support/workers.ts'

const HOUR = 3600

describe('a token', () => {
  let service: Service
  let now = 1_900_000_000
  const clock = () => now
  const folder = mkdtempSync(join(tmpdir(), 'kalends-tokens-'))
  before(async () => {
    service = await startService({ clock, folder })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  const store = () => ({ db: service.db, clock })
  const use = async (authorization: string) =>
    (await service.inject({ url: '/calendar/events/v1/images', headers: { authorization } })).statusCode
  const usedAt = async (name: string) =>
    (await users.listTokens(store(), 'author')).find((token) => token.name === name)?.used_utc

  it('that expires is refused when its time is over, as Bearer and as a password', async () => {
    const token = await users.createToken(store(), 'author', 'short', 2 * HOUR)
    const lasting = await users.createToken(store(), 'author', 'lasting')
    const headers = [`Bearer ${token}`, basic('author', token)]
    for (const header of headers) assert.equal(await use(header), 200)
    now += 2 * HOUR - 1
    for (const header of headers) assert.equal(await use(header), 200)
    now += 1
    for (const header of headers) assert.equal(await use(header), 401)
    assert.equal(await use(`Bearer ${lasting}`), 200)
  })

  it('shows when it was last used, to a minute, and changes nothing that is answered', async () => {
    const token = await users.createToken(store(), 'author', 'used')
    assert.equal(await usedAt('used'), null)
    const version = await service.db.version()
    const first = now
    await Promise.all(Array.from({ length: 20 }, () => use(`Bearer ${token}`)))
    await eventually(async () => (await usedAt('used')) === first)
    now += 59
    assert.equal(await use(`Bearer ${token}`), 200)
    now += 1
    assert.equal(await use(basic('author', token)), 200)
    await eventually(async () => (await usedAt('used')) === first + 60)
    assert.equal(await service.db.version(), version)
  })

  it('of somebody else is not used by being named', async () => {
    const token = await users.createToken(store(), 'author', 'named')
    assert.equal(await use(basic('editor', token)), 401)
    assert.equal(await use(`Bearer ${token}x`), 401)
    await use(basic('author', PASSWORD))
    assert.equal(await usedAt('named'), null)
  })

  it('is that of its user as they are now, whichever process has changed them', async () => {
    await users.create(store(), { name: 'kim', email: 'kim@example.org', role: 'contributor', password: PASSWORD })
    const token = await users.createToken(store(), 'kim', '')
    const headers = { authorization: `Bearer ${token}` }
    const category = async () => {
      const request = { method: 'POST', url: '/calendar/events/v1/categories', headers } as const
      return (await service.inject({ ...request, payload: { name: `C ${now++}` } })).statusCode
    }
    const other = openDatabase(service.where)
    for (const db of [other, service.db]) {
      assert.equal(await category(), 403)
      await users.setRole({ db, clock }, 'kim', 'editor')
      assert.equal(await category(), 201)
      await users.setRole({ db, clock }, 'kim', 'contributor')
    }
    assert.equal(await category(), 403)
    await users.setPassword({ db: other, clock }, 'kim', 'another password', true)
    await other.close()
    assert.equal(await category(), 401)
  })

  it('ends with the password if that is asked for', async () => {
    await users.create(store(), { name: 'zoe', email: 'zoe@example.org', role: 'author', password: PASSWORD })
    const [one, other] = [
      await users.createToken(store(), 'zoe', ''),
      await users.createToken(store(), 'zoe', '', HOUR),
    ]
    assert.deepEqual(await users.setPassword(store(), 'zoe', 'another password'), { revoked: 0, left: 2 })
    assert.equal(await use(`Bearer ${one}`), 200)
    assert.deepEqual(await users.setPassword(store(), 'zoe', 'a third password', true), { revoked: 2, left: 0 })
    for (const token of [one, other]) assert.equal(await use(`Bearer ${token}`), 401)
    assert.equal(await use(basic('zoe', 'a third password')), 200)
  })
})
