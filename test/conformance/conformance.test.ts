import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { replay, type Scenario } from './replay.ts'

const FOLDER = new URL('vectors/', import.meta.url)

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  const scenarios: Scenario[] = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
  for (const scenario of scenarios) {
    describe(`${scenario.name}: ${scenario.about}`, () => {
      let service: Service
      const saved = new Map<string, string>()
      before(async () => {
        service = await startService()
      })
      after(() => service.close())
      scenario.steps.forEach((step, n) => {
        const what = step.request
          ? `${step.as ?? 'anyone'} ${step.request.method} ${step.request.path}`
          : 'sets a password'
        it(`${n + 1}. ${what}`, () => replay(service, step, saved))
      })
    })
  }
}
