import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basic, type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** The server of the tests does not wait for its disk, so a commit costs nothing there. */
const LEAST = ON_POSTGRES ? 1.5 : 3

const body = (n: number) => ({
  title: `Bulk ${n}`,
  start_date: '2031-06-10 20:00',
  end_date: '2031-06-10 23:00',
  cost: '5 €',
  tags: [`bulk ${n % 10}`],
  description: 'Words. '.repeat(20),
})

describe('1,000 events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-batch-'))
  let service: Service
  let url: string
  before(async () => {
    service = await startService({ folder })
    url = await service.listen()
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  let made = 0
  const post = async (path: string, json: unknown, status: number) => {
    const response = await fetch(`${url}/calendar/events/v1${path}`, {
      method: 'POST',
      headers: { authorization: basic('editor'), 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })
    const text = await response.text()
    assert.equal(response.status, status, text)
    return text
  }
  const single = () => post('/events', body(++made), 201)
  const batch = async () => {
    const requests = Array.from({ length: 100 }, () => ({ method: 'POST', path: '/events', body: body(++made) }))
    const { responses } = JSON.parse(await post('/batch', { requests }, 200)) as Json
    assert.ok(responses.every(({ status }: Json) => status === 201))
  }
  const timed = async (work: () => Promise<unknown>, times: number) => {
    const began = performance.now()
    for (let n = 0; n < times; n++) await work()
    return performance.now() - began
  }

  it(`are created ${LEAST} times as fast in batches as by single requests`, async () => {
    await timed(single, 100)
    await timed(batch, 3)
    // In turns, so that both meet the same machine.
    let [alone, together] = [0, 0]
    for (let n = 0; n < 10; n++) {
      alone += await timed(single, 30)
      together += await timed(batch, 1)
    }
    const ratio = alone / 300 / (together / 1000)
    assert.ok(
      ratio >= LEAST,
      `${(alone / 300).toFixed(1)} and ${(together / 1000).toFixed(1)} ms an event: ${ratio.toFixed(2)} times`,
    )
  })
})
