import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Delays } from '../../src/lib/delays.ts'
import { FairQueue } from '../../src/lib/time-slices.ts'
import { WorkQueue } from '../../src/lib/work-queue.ts'

describe('delays', () => {
  it('let those of one key go on in turn, and do not hold up others', async () => {
    const delays = new Delays({ minDelay: 20, interval: 20 })
    const order: string[] = []
    const wait = async (key: string, name: string) => {
      assert.equal(await delays.wait(key), true)
      order.push(name)
    }
    await Promise.all([wait('a', 'a1'), wait('a', 'a2'), wait('a', 'a3'), wait('b', 'b1')])
    // The first of each key wait equally long.
    assert.deepEqual([...order.slice(0, 2).sort(), ...order.slice(2)], ['a1', 'b1', 'a2', 'a3'])
  })

  it('are bounded in length, in number, and by the end of the service', async () => {
    const long = new Delays({ minDelay: 1000, interval: 1000, maxDelay: 2500 })
    const waiting = [long.wait('a'), long.wait('a'), long.wait('b')]
    assert.equal(await long.wait('a'), false)
    long.close()
    assert.deepEqual(await Promise.all(waiting), [false, false, false])
    assert.equal(await long.wait('c'), false)
    const many = new Delays({ maxWaiting: 3 })
    const few = ['a', 'b', 'c'].map((key) => many.wait(key))
    assert.equal(await many.wait('d'), false)
    many.close()
    await Promise.all(few)
  })
})

describe('a fair queue', () => {
  /** Runs tasks that take so many milliseconds at once each. Returns their numbers by turn of the event loop. */
  const turnsOf = async (queue: FairQueue, lengths: readonly number[]): Promise<number[][]> => {
    let turn: number[] = []
    const turns = [turn]
    const run = async (length: number, n: number) => {
      await queue.take()
      turn.push(n)
      // As a request does: several steps, of which one takes time.
      await null
      const end = performance.now() + length
      while (performance.now() < end);
    }
    const all = Promise.all(lengths.map(run))
    let isOver = false
    void all.then(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise(setImmediate)
      turn = []
      turns.push(turn)
    }
    return turns.filter(({ length }) => length > 0)
  }

  it('starts short tasks together, and all in order of arrival', async () => {
    const turns = await turnsOf(new FairQueue(), Array(200).fill(0))
    assert.deepEqual(turns.flat(), [...turns.flat().keys()])
    assert.equal(turns.flat().length, 200)
    assert.ok(Math.max(...turns.map(({ length }) => length)) === 8, JSON.stringify(turns.map(({ length }) => length)))
  })

  it('starts few long tasks a turn, also after short ones', async () => {
    const queue = new FairQueue()
    const long = (turns: number[][]) => turns.map(({ length }) => length)
    assert.deepEqual(long(await turnsOf(queue, Array(6).fill(10))), [2, 2, 2])
    await turnsOf(queue, Array(200).fill(0))
    const [first = 0, ...rest] = long(await turnsOf(queue, Array(20).fill(30)))
    assert.ok(first <= 8, `${first}`)
    assert.ok(
      rest.every((count) => count <= 2),
      rest.join(),
    )
  })
})

describe('a queue of work', () => {
  it('runs a few at a time, what is urgent first, and turns away who finds it full', async () => {
    const queue = new WorkQueue(2, 2)
    const order: string[] = []
    let [running, most] = [0, 0]
    const gates: (() => void)[] = []
    const work = (name: string) => async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => gates.push(resolve))
      running--
      order.push(name)
    }
    const all = [queue.run(work('1')), queue.run(work('2')), queue.run(work('3')), queue.run(work('4'))]
    await assert.rejects(queue.run(work('5')), { code: 'rest_unavailable' })
    all.push(queue.run(work('urgent'), true))
    assert.ok(queue.isBusy)
    while (order.length < 5) {
      gates.shift()?.()
      await new Promise(setImmediate)
    }
    await Promise.all(all)
    assert.deepEqual(order, ['1', '2', 'urgent', '3', '4'])
    assert.equal(most, 2)
    assert.equal(queue.isBusy, false)
  })

  it('gives a place back when work fails', async () => {
    const queue = new WorkQueue(1, 1)
    await assert.rejects(queue.run(() => Promise.reject(new Error('broken'))))
    assert.equal(await queue.run(() => 7), 7)
  })
})
