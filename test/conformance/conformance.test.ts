import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { IS_THOROUGH } from '../support/thorough.ts'
import { replay, type Scenario } from './replay.ts'

const FOLDER = new URL('vectors/', import.meta.url)
/**
 * What `npm test` runs on PostgreSQL, where each scenario takes half a second for its database: those whose answers
 * depend on SQL. Organizers and tags are stored as venues and categories are. `npm run test:all` runs all.
 */
const WITH_SQL =
  /^(access\/(edit|read)|events-list\/|events\/(create-full|delete|linked|slugs|terms|update)|venues\/(delete|duplicates|list|update)|categories\/(list|update))/

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  const scenarios: Scenario[] = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
  for (const scenario of scenarios) {
    if (ON_POSTGRES && !IS_THOROUGH && !WITH_SQL.test(scenario.name)) continue
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
