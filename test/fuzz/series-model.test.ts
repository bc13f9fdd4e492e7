import { describe, it } from 'node:test'
import { checkSeriesModel } from '../support/series-model-run.ts'

/** Other seeds explore other changes. */
const FIRST = Number(process.env.KALENDS_TEST_SEED ?? 100)

describe('series that are changed at random, for long', () => {
  for (let seed = FIRST; seed < FIRST + 12; seed++)
    it(`equal a model after each change, seed ${seed}`, () => checkSeriesModel(seed, 150))
})
