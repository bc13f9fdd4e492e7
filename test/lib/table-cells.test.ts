import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { joinNames, protectText, quoteCell, splitNames, unprotectText } from '../../src/lib/table-cells.ts'

describe('cells of tables', () => {
  it('never begin as a formula does', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) assert.equal(protectText(text), `'${text}`)
    for (const text of ['', 'a=1', "'quoted", '10 – 20 €', '1-2']) assert.equal(protectText(text), text)
  })

  it('are read as they were written', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '=', '-', 'a', '"', ',', '|', ' ', '\n') })
    fc.assert(fc.property(text, (value) => assert.equal(unprotectText(protectText(value)), value)))
    fc.assert(
      fc.property(text, (value) => {
        const cell = quoteCell(value)
        assert.equal(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell, value)
      }),
    )
  })

  it('hold lists of names, whatever is in the names', () => {
    const name = fc
      .string({ unit: fc.constantFrom('"', ',', '|', ' ', 'a', 'é'), minLength: 1 })
      .map((text) => text.trim())
      .filter((text) => text !== '')
    for (const separator of [',', '|'] as const) {
      fc.assert(
        fc.property(fc.array(name), (names) =>
          assert.deepEqual(splitNames(joinNames(names, separator), separator), names),
        ),
      )
    }
    assert.deepEqual(splitNames('Music,  "Arts, fine" ,, Dance', ','), ['Music', 'Arts, fine', 'Dance'])
    assert.deepEqual(splitNames('12" records, "half', ','), ['12" records', '"half'])
  })
})
