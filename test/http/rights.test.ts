import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readTable } from '../support/rights/table.ts'
import { READING, ROLES, tryRecords, tryRoles, WRITING } from '../support/rights/trying.ts'
import { makeWorld, type World } from '../support/rights/world.ts'

describe('what the table of rights says', () => {
  let world: World
  before(async () => {
    world = await makeWorld()
  })
  after(() => world.service.close())

  tryRecords(READING, () => world)
  tryRoles(() => world)

  it('is tried in every line', () => {
    const tried = new Set([...READING, ...WRITING, ...ROLES].flatMap((part) => Object.keys(part[1])))
    const written = [...readTable().values()].flatMap((section) => [...section.keys()])
    assert.deepEqual(
      written.filter((name) => !tried.has(name)),
      [],
    )
  })
})
