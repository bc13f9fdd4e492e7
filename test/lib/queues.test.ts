import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Delays } from '../../src/lib/delays.ts'
import { FairQueue, SLICE, TurnBudget } from '../../src/lib/time-slices.ts'
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
  /** A kind of tasks: how long each works, in milliseconds, and whether it waits for something before. */
  interface Kind {
    readonly name: string
    readonly length: number
    readonly waits?: boolean
  }
  const SHORT: Kind = { name: 'short', length: 0 }
  const LONG: Kind = { name: 'long', length: 10 }
  const of = (count: number, kind: Kind): Kind[] => Array<Kind>(count).fill(kind)

  /** Runs tasks, and returns their numbers by the turn of the event loop that they started in. */
  const turnsOf = async (queue: FairQueue, kinds: readonly Kind[]): Promise<number[][]> => {
    let turn: number[] = []
    const turns = [turn]
    const tasks = kinds.map(({ name, length, waits = false }, n) =>
      queue.run(name, async () => {
        turn.push(n)
        // As a request does: several steps, of which one takes time.
        await (waits ? new Promise(setImmediate) : null)
        const end = performance.now() + length
        while (performance.now() < end);
      }),
    )
    let isOver = false
    void Promise.all(tasks).then(() => {
      isOver = true
    })
    while (!isOver) {
      await new Promise(setImmediate)
      turn = []
      turns.push(turn)
    }
    return turns.filter(({ length }) => length > 0)
  }
  const countsOf = (turns: readonly (readonly number[])[]) => turns.map(({ length }) => length)
  const most = (counts: readonly number[]) => Math.max(...counts)

  it('starts short tasks together, and all in order of arrival', async () => {
    const turns = await turnsOf(new FairQueue(), of(200, SHORT))
    assert.deepEqual(
      turns.flat(),
      Array.from({ length: 200 }, (_, n) => n),
    )
    assert.equal(most(countsOf(turns)), 8, countsOf(turns).join())
  })

  it('starts few long tasks a turn, also after short ones', async () => {
    const queue = new FairQueue()
    for (let round = 0; round < 3; round++) {
      assert.equal(most(countsOf(await turnsOf(queue, of(6, LONG)))), 2)
      assert.equal(most(countsOf(await turnsOf(queue, of(100, SHORT)))), 8)
    }
    const mixed = await turnsOf(queue, [...of(4, SHORT), ...of(4, LONG), ...of(20, SHORT)])
    const inOneTurn = mixed.map((turn) => turn.filter((n) => n >= 4 && n < 8).length)
    assert.ok(most(inOneTurn) <= 2, inOneTurn.join())
  })

  it('learns at once that tasks of a kind have become long', async () => {
    const queue = new FairQueue()
    await turnsOf(queue, of(100, SHORT))
    const [first = 0, ...rest] = countsOf(await turnsOf(queue, of(20, { ...LONG, name: SHORT.name })))
    assert.equal(first, 8)
    assert.equal(most(rest), 2)
  })

  it('starts few tasks a turn that wait for something, however short they seem', async () => {
    const turns = await turnsOf(new FairQueue(), of(60, { name: 'waiting', length: 1, waits: true }))
    assert.equal(most(countsOf(turns)), 2)
  })

  it('goes on after a task that fails', async () => {
    const queue = new FairQueue()
    await assert.rejects(
      queue.run('failing', async () => {
        throw new Error('no')
      }),
      /no/,
    )
    assert.equal(await queue.run('failing', async () => 1), 1)
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

describe('the budget of a turn', () => {
  it('is spent by the steps of all requests together, and is there again in the next turn', async () => {
    const budget = new TurnBudget()
    const took: number[] = []
    let turn = 0
    const work = async () => {
      while (budget.isSpent) await budget.wait()
      took.push(turn)
      budget.spend(() => {
        const end = performance.now() + 2 * SLICE
        while (performance.now() < end);
      })
    }
    const ticks = (async () => {
      for (; took.length < 3; turn++) await new Promise(setImmediate)
    })()
    await Promise.all([work(), work(), work(), ticks])
    assert.equal(new Set(took).size, 3, `in turns ${took}`)
  })
})
