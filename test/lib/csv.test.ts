import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CsvReader, type CsvRow } from '../../src/lib/csv.ts'
import { quoteCell } from '../../src/lib/table-cells.ts'
import fc from '../support/property.ts'

function read(text: string | Buffer, size = Number.POSITIVE_INFINITY): CsvRow[] {
  const bytes = Buffer.from(text as string)
  const reader = new CsvReader()
  const rows: CsvRow[] = []
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) {
    rows.push(...reader.push(bytes.subarray(at, at + size)))
  }
  return [...rows, ...reader.end()]
}

const cellsOf = (text: string) => read(text).map(({ cells }) => cells)

describe('tables', () => {
  it('are read as they were written, however they are cut', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', ',', ';', '\t', '"', '\n', '\r') })
    const row = fc.array(cell, { minLength: 2, maxLength: 5 }).map((cells) => ['x', ...cells])
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        (rows, lineBreak, size) => {
          const lines = [['a', 'b', 'c', 'd', 'e', 'f'], ...rows].map((cells) => cells.map(quoteCell).join(','))
          const whole = read(lines.join(lineBreak))
          assert.deepEqual(
            whole.slice(1).map(({ cells }) => cells),
            rows,
          )
          assert.deepEqual(read(lines.join(lineBreak), size), whole)
          let line = 1
          for (const [n, written] of lines.entries()) {
            assert.equal(whole[n]?.line, line)
            line += (written.match(/\r\n?|\n/g)?.length ?? 0) + 1
          }
        },
      ),
    )
  })

  it('may mix line breaks and have empty lines', () => {
    assert.deepEqual(cellsOf('a,b\r\n1,2\n\n\r\n , \n3,4\r5,6'), [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ])
    assert.deepEqual(
      read('a,b\r\n\r\n"1\r\n\n",2\n3,4').map(({ line }) => line),
      [1, 3, 6],
    )
  })

  it('may have text after a quoted cell, and quotes inside a cell without quotes', () => {
    assert.deepEqual(cellsOf('a;b\n"x"y;z "q"\n""x;"a""b"'), [
      ['a', 'b'],
      ['xy', 'z "q"'],
      ['x', 'a"b'],
    ])
  })

  it('say that a quote is not closed', () => {
    assert.deepEqual(
      read('a,b\n1,"2\n3').map(({ line, isOpen }) => [line, isOpen]),
      [
        [1, false],
        [2, true],
      ],
    )
    assert.deepEqual(
      read('a,b\n1,"2"').map(({ isOpen }) => isOpen),
      [false, false],
    )
  })

  for (const [name, row] of [
    ['a first cell', `"${'x'.repeat(1_100_000)}",1`],
    ['a second cell', `1,${'x'.repeat(1_100_000)}`],
    ['many empty cells', ','.repeat(1_100_000)],
  ] as const) {
    it(`say that a row is too long with ${name}, and give the next one`, () => {
      const rows = read(`a,b\n${row}\n3,4\n`, 65_536)
      assert.deepEqual(
        rows.map(({ line, isCut }) => [line, isCut]),
        [
          [1, false],
          [2, true],
          [3, false],
        ],
      )
    })
  }
})
