import { seeded } from './random-site.ts'
import { SeriesModel } from './series-model.ts'
import { startService } from './service.ts'

/** Changes series at random on a fresh service, and compares it with a model after each step. */
export async function checkSeriesModel(seed: number, steps: number): Promise<void> {
  const service = await startService({ settings: { rateLimit: '0', userRateLimit: '0' } })
  const done: string[] = []
  try {
    const model = new SeriesModel(service, seeded(seed))
    for (let step = 0; step < steps; step++) {
      done.push(await model.step())
      await model.check()
    }
  } catch (error) {
    throw new Error(`after: ${done.slice(-8).join('; ')}`, { cause: error })
  } finally {
    await service.close()
  }
}
