import { describe, it } from 'node:test'
import { checkSeriesModel } from '../support/series-model-run.ts'

describe('series that are changed at random', () => {
  for (const seed of [1, 2]) it(`equal a model after each change, seed ${seed}`, () => checkSeriesModel(seed, 40))
})
