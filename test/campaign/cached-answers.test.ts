import { describe, it } from 'node:test'
import { checkCachedAnswers } from '../support/cache-model.ts'
import { chanceOf, progress, times } from '../support/campaign.ts'

/** How long histories are tried, in milliseconds, and more histories than that takes. */
const TIME = times(600_000, 30_000)
const HISTORIES = 5000

describe('answers from the cache, for long', () => {
  it('equal those without it, whatever is written, whoever reads, and whatever the time', {
    timeout: 900_000,
  }, async () => {
    const seed = Math.floor(chanceOf('cached answers').between(0, 2 ** 31))
    const { compared, cached } = await checkCachedAnswers(HISTORIES, TIME, seed)
    progress(`${compared} cached answers were compared, ${cached} of them after the clock was set`)
  })
})
