import { describe, it } from 'node:test'
import { checkSeriesModel } from '../support/series-model-run.ts'
import { some } from '../support/thorough.ts'

describe('series that are changed at random', () => {
  for (const seed of some([1, 2], 1))
    it(`equal a model after each change, seed ${seed}`, () => checkSeriesModel(seed, 40))
})
