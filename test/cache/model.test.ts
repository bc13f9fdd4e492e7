import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkCachedAnswers } from '../support/cache-model.ts'
import { times } from '../support/thorough.ts'

/** How many histories are tried, in the suite in about ten seconds; and how long at most on a slow machine, in milliseconds. */
const HISTORIES = times(30, 8)
const LONGEST = 40_000

describe('answers from the cache', () => {
  it('equal those without it, whatever is written, whoever reads, and whatever the time', async (t) => {
    const { compared, cached } = await checkCachedAnswers(HISTORIES, LONGEST)
    t.diagnostic(`${compared} answers, of which ${cached} were made before the clock was set`)
    assert.ok(cached > 0)
  })
})
