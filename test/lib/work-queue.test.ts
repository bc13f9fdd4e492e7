import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WorkQueue } from '../../src/lib/work-queue.ts'

describe('a queue of work', () => {
  it('runs as much at once as it may, lets the rest wait in order, and refuses what is too much', async () => {
    const queue = new WorkQueue(2, 3)
    const began: number[] = []
    const ends = Array.from({ length: 6 }, () => Promise.withResolvers<number>())
    const runs = ends.map(({ promise }, n) =>
      queue.run(() => {
        began.push(n)
        return promise
      }),
    )
    await assert.rejects(runs[5] as Promise<number>, { code: 'rest_unavailable' })
    assert.deepEqual(began, [0, 1])
    ends[1]?.resolve(1)
    assert.equal(await runs[1], 1)
    assert.deepEqual(began, [0, 1, 2])
    // What fails makes room as well.
    ends[2]?.reject(new Error('on purpose'))
    await assert.rejects(runs[2] as Promise<number>, /on purpose/)
    assert.deepEqual(began, [0, 1, 2, 3])
    for (const { resolve } of ends) resolve(0)
    assert.deepEqual(await Promise.all([runs[0], runs[3], runs[4]]), [0, 0, 0])
    assert.equal(await queue.run(async () => 7), 7)
  })
})
