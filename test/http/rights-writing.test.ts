import { after, before, describe } from 'node:test'
import { tryRecords, WRITING } from '../support/rights/trying.ts'
import { makeWorld, type World } from '../support/rights/world.ts'

describe('what the table of rights says of writes', () => {
  let world: World
  before(async () => {
    world = await makeWorld()
  })
  after(() => world.service.close())

  tryRecords(WRITING, () => world)
})
