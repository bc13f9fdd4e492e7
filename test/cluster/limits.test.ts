import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Limits, type Sharing, Sums, throughDatabase } from '../../src/domain/limits.ts'
import { PasswordAttempts } from '../../src/domain/password-attempts.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { freshStore } from '../support/store.ts'

describe('limits', () => {
  it('hold for all nodes of a database together', async (t) => {
    const store = await freshStore(':memory:')
    const db = openDatabase(store.where)
    await db.migrate()
    t.after(async () => {
      await db.close()
      await store.drop()
    })
    // What nodes count is of one minute: if one ends meanwhile, it is counted again in the next.
    const minute = () => Math.floor(Date.now() / 60_000)
    const counted = async (sharing: Sharing): Promise<number[]> => {
      const before = minute()
      const key = `one ${Math.random()}`
      const nodes = [new Limits(sharing), new Limits(sharing), new Limits(sharing)]
      for (const node of nodes) for (let n = 0; n < 10; n++) node.hit(key)
      for (const node of nodes) await node.exchange()
      const counts = nodes.map((node) => node.hit(key).count)
      return minute() === before ? counts : counted(sharing)
    }
    // Each knows of those that told before it.
    assert.deepEqual(await counted(throughDatabase(db)), [11, 21, 31])
    const sums = new Sums()
    assert.deepEqual(await counted({ add: async (window, counts) => sums.add(window, counts) }), [11, 21, 31])
    assert.equal(new Limits(null).hit('one').count, 1)
  })

  it('on wrong passwords hold for all nodes however many come at once, and right ones are given back', async (t) => {
    const store = await freshStore(':memory:')
    const db = openDatabase(store.where)
    await db.migrate()
    t.after(async () => {
      await db.close()
      await store.drop()
    })
    const sums = new Sums()
    const ways: Sharing[] = [throughDatabase(db), { add: async (window, counts) => sums.add(window, counts) }]
    const minute = () => Math.floor(Date.now() / 60_000)
    for (const sharing of ways) {
      for (let round = 0, began = -1; began !== minute(); round++) {
        began = minute()
        const counters = Array.from({ length: 3 }, () => new Limits(sharing))
        const nodes = counters.map((limits) => new PasswordAttempts(limits, 20))
        const bounds = nodes[0]?.limitsFor({ network: `192.0.2.${round}`, isLimited: true }) ?? []
        let checked = 0
        const attempt = (n: number, isRight: boolean) =>
          nodes[n % 3]?.attempt(bounds, async (slowly) => {
            const verify = async () => {
              checked++
              await setImmediate()
              return isRight
            }
            return (await slowly(verify)) || null
          })
        // One after the other: right ones count for nothing.
        for (let n = 0; n < 60; n++) assert.equal(await attempt(n, true), true)
        for (const limits of counters) await limits.exchange()
        checked = 0
        const outcomes = await Promise.allSettled(Array.from({ length: 90 }, (_, n) => attempt(n, false)))
        if (began !== minute()) continue
        assert.equal(checked, 20)
        assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 70)
      }
    }
  })

  it('do not forget what is counted often, whoever makes up keys without end', () => {
    const [limits, sums] = [new Limits(null), new Sums()]
    const window = Math.floor(Date.now() / 60_000) + 2
    for (let n = 0; n < 120_000; n++) {
      limits.hit(`key ${n}`)
      sums.add(window, [[`key ${n}`, 1]])
      if (n % 1000 !== 0) continue
      limits.hit('often')
      sums.add(window, [['often', 1]])
    }
    assert.equal(sums.add(window, [['often', 0]]).get('often'), 120)
    // Of this minute, which may have begun meanwhile.
    assert.ok(limits.peek('often').count > 10 || new Date().getSeconds() < 2)
  })

  it('forget a minute that is over, and take nothing late from it', () => {
    const sums = new Sums()
    const add = (window: number, count: number) => sums.add(window, [['one', count]]).get('one')
    assert.deepEqual([add(7, 3), add(7, 2), add(8, 1), add(7, 4), add(8, 1)], [3, 5, 1, 4, 2])
  })
})
