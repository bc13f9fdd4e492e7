import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KeptPlaces } from '../../src/domain/kept-places.ts'

const ROW = { id: 1, revision: 1, slug: 'hall', date_utc: 0, modified_utc: 0 }
type Venue = Parameters<ReturnType<KeptPlaces['at']>['venues']['add']>[1]

describe('venues and categories that are kept', () => {
  it('are those that are known to be of the version, and no others', () => {
    const kept = new KeptPlaces(true)
    const venue = { row: ROW } as unknown as Venue
    const own = kept.at('1')
    own.venues.add(1, venue)
    own.venues.add(2, null)
    assert.deepEqual([own.venues.get(1), own.venues.has(2)], [venue, true])
    // Nobody has asked whether the data has changed meanwhile.
    assert.equal(kept.at('1').venues.has(1), false)
    kept.keep('1', own)
    assert.deepEqual([kept.at('1').venues.get(1), kept.at('1').venues.has(2)], [venue, true])
    assert.equal(kept.at('2').venues.has(1), false)
    kept.keep('1', own)
    assert.equal(kept.at('2').venues.has(1), false)
  })
})
