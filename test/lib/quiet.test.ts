import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { untilQuiet } from '../../src/lib/quiet.ts'

/** Keeps the event loop busy until it is stopped. */
function beBusy(): () => void {
  let isStopped = false
  const work = () => {
    const until = performance.now() + 20
    while (performance.now() < until);
    if (!isStopped) setImmediate(work)
  }
  work()
  return () => {
    isStopped = true
  }
}

const never = new AbortController().signal

describe('waiting until the process is quiet', () => {
  // Waiting alone does not keep a process alive.
  let alive: NodeJS.Timeout
  before(() => {
    alive = setInterval(() => {}, 60_000)
  })
  after(() => clearInterval(alive))

  it('waits as long as the process is busy', async () => {
    const stop = beBusy()
    let isQuiet = false
    const waiting = untilQuiet({ watch: 100, most: 600_000 }, never).then(() => {
      isQuiet = true
    })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    assert.equal(isQuiet, false)
    stop()
    await waiting
  })

  it('waits no longer than it is told', async () => {
    const stop = beBusy()
    const began = performance.now()
    await untilQuiet({ watch: 100, most: 500 }, never)
    stop()
    assert.ok(performance.now() - began >= 400)
  })

  it('can be given up', async () => {
    const giving = new AbortController()
    const waiting = untilQuiet({ watch: 600_000, most: 600_000 }, giving.signal)
    giving.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
  })
})
