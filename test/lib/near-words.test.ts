import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { slipsBetween, withOneSlip } from '../../src/lib/near-words.ts'

describe('slips between words', () => {
  it('are letters too many, missing or wrong, and two letters that changed places', () => {
    for (const [one, other, slips] of [
      ['market', 'market', 0],
      ['market', 'markket', 1],
      ['market', 'maket', 1],
      ['market', 'marget', 1],
      ['market', 'markte', 1],
      ['market', 'amrket', 1],
      ['market', 'amrkte', 2],
      ['ярмарка', 'ярмакра', 1],
    ] as const) {
      assert.equal(slipsBetween(one, other, 2), slips, `${one} ${other}`)
      assert.equal(slipsBetween(other, one, 2), slips, `${other} ${one}`)
      assert.equal(withOneSlip(one).includes(other), slips === 1, `${one} ${other}`)
    }
  })

  it('are counted up to the number that is asked for', () => {
    assert.ok(slipsBetween('market', 'concert', 2) > 2)
    assert.ok(slipsBetween('market', 'marketplaces', 2) > 2)
  })
})
