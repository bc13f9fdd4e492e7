import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ComparisonBudget, wordDifference } from '../../src/lib/word-difference.ts'
import { cpuTime } from '../support/cost.ts'
import fc from '../support/property.ts'

const marked = (before: string, after: string) =>
  wordDifference(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}[${text}]`))
    .join('')

describe('the difference of two texts', () => {
  it('is told word by word', () => {
    assert.equal(marked('Come and sing with us', 'Come and dance with us'), 'Come and -[sing ]+[dance ]with us')
    assert.equal(marked('one two three', 'one three'), 'one -[two ]three')
    assert.equal(marked('', 'new'), '+[new]')
    assert.equal(marked('old', ''), '-[old]')
    assert.equal(marked('same', 'same'), 'same')
  })

  it('has both texts whole, in pieces that alternate', () => {
    const text = fc
      .array(fc.constantFrom('a ', 'b ', 'c\n', 'd', '  '), { maxLength: 30 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const pieces = wordDifference(before, after)
        const without = (kind: string) => pieces.filter((one) => one.kind !== kind).map((one) => one.text)
        assert.equal(without('added').join(''), before)
        assert.equal(without('removed').join(''), after)
        assert.ok(pieces.every(({ kind, text }, n) => text !== '' && kind !== pieces[n - 1]?.kind))
      }),
    )
  })

  it('of long texts takes no time', async () => {
    const long = (start: number) => Array.from({ length: 40_000 }, (_, n) => (n * start) % 977).join(' ')
    const [before, after] = [long(7), long(11)]
    assert.ok((await cpuTime(() => wordDifference(before, after))) < 50)
    const some = (start: number) => Array.from({ length: 490 }, (_, n) => (n * start) % 97).join(' ')
    assert.ok((await cpuTime(() => wordDifference(some(7), some(11)))) < 50)
  })

  it('compares the texts of an answer within one budget', () => {
    const budget = new ComparisonBudget()
    const text = (name: string) => Array.from({ length: 200 }, (_, n) => `${name}${n} same`).join(' ')
    const pieces = () => wordDifference(text('a'), text('b'), budget).length
    assert.ok(pieces() > 2)
    assert.equal(pieces(), 3, 'what is left does not suffice: all but the last word counts as replaced')
    assert.equal(wordDifference('one two three', 'four two five', budget).length, 5)
  })
})
