import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  escapeText,
  foldLine,
  joinTexts,
  LineReader,
  linesOf,
  MAX_LINE,
  readContentLine,
  readLines,
  splitRaw,
  splitTexts,
  unescapeText,
  writeLine,
} from '../../src/calendar/content-lines.ts'
import { threadTime } from '../support/cost.ts'
import { hostileText as hostile, keptText as kept } from '../support/hostile-text.ts'
import fc from '../support/property.ts'

const only = (text: string) => {
  const lines = [...linesOf(text)]
  assert.equal(lines.length, 1, text)
  const line = lines[0] && readContentLine(lines[0])
  assert.ok(line, text)
  return line
}

describe('lines of iCalendar', () => {
  it('carry any text there and back', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.equal(unescapeText(only(writeLine('SUMMARY', escapeText(text))).value), kept(text))
      }),
    )
  })

  it('carry any list of texts there and back', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 5 }), (texts) => {
        assert.deepEqual(splitTexts(only(writeLine('CATEGORIES', joinTexts(texts))).value), texts.map(kept))
      }),
    )
  })

  it('carry any parameter there and back', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), hostile, (texts, value) => {
        const line = only(writeLine('X-THING', escapeText(value), { CN: texts, LANGUAGE: 'de' }))
        assert.deepEqual(line.parameters.get('CN'), texts.map(kept))
        assert.deepEqual(line.parameters.get('LANGUAGE'), ['de'])
        assert.equal(unescapeText(line.value), kept(value))
      }),
    )
  })

  it('are at most 75 octets long, and no character is cut', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = `DESCRIPTION:${escapeText(text)}`
        const folded = foldLine(line)
        for (const part of folded.slice(0, -2).split('\r\n')) {
          assert.ok(Buffer.byteLength(part) <= 75, part)
          assert.ok(part.isWellFormed(), part)
        }
        assert.equal(folded.replaceAll('\r\n ', '').slice(0, -2), line.toWellFormed())
      }),
    )
  })

  it('cannot be made to hold another line', () => {
    for (const evil of ['a\r\nATTENDEE:b', 'a\nB:c', 'a\rB:c', 'a\u2028B:c', 'a\u0085B:c']) {
      assert.equal(only(writeLine('URL', evil, { 'X-P': evil })).name, 'URL')
      assert.doesNotMatch(writeLine('SUMMARY', escapeText(evil)), /[\n\r\u2028\u0085](?!$|\n$)/)
    }
  })

  it('are the same however the octets arrive, and whatever ends a line', async () => {
    const text =
      'BEGIN:VEVENT\r\nSUMMARY;LANGUAGE="de":Käse 🧀 und\r\n  Wein\r\nURL:https://example.org\r\n\r\nEND:VEVENT\r\n'
    const expected = [...linesOf(text)].map((line) => line.text)
    assert.deepEqual(expected[1], 'SUMMARY;LANGUAGE="de":Käse 🧀 und Wein')
    for (const end of ['\r\n', '\n', '\r']) {
      const bytes = Buffer.from(text.replaceAll('\r\n', end))
      for (const size of [1, 2, 3, 7, 1000]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        )
        const lines = await Array.fromAsync(readLines(chunks))
        assert.deepEqual(
          lines.map((line) => line.text),
          expected,
          `${JSON.stringify(end)} by ${size}`,
        )
        assert.deepEqual(
          lines.map((line) => line.line),
          [1, 2, 4, 6],
        )
      }
    }
  })

  it('are joined before they are decoded, as careless writers fold within a character', () => {
    const bytes = Buffer.from('SUMMARY:Käse')
    const cut = Buffer.concat([bytes.subarray(0, 10), Buffer.from('\r\n '), bytes.subarray(10), Buffer.from('\r\n')])
    const reader = new LineReader()
    assert.deepEqual([...reader.push(cut), ...reader.end()], [{ text: 'SUMMARY:Käse', line: 1 }])
  })

  it('may begin with a byte order mark, and may be of an old Windows', () => {
    assert.equal(only('\uFEFFBEGIN:VCALENDAR\r\n').name, 'BEGIN')
    const reader = new LineReader()
    const lines = [...reader.push(Buffer.from('SUMMARY:K\xe4se \x80', 'latin1')), ...reader.end()]
    assert.equal(lines[0]?.text, 'SUMMARY:Käse €')
  })

  it('have quoted and repeated parameters', () => {
    const line = only('attendee;Cn="Doe, Jane: ^\'the^\' ^^ one^nboss";MEMBER="a","b",c;ROLE=:mailto:jane@example.org')
    assert.equal(line.name, 'ATTENDEE')
    assert.deepEqual(line.parameters.get('CN'), ['Doe, Jane: "the" ^ one\nboss'])
    assert.deepEqual(line.parameters.get('MEMBER'), ['a', 'b', 'c'])
    assert.deepEqual(line.parameters.get('ROLE'), [''])
    assert.equal(line.value, 'mailto:jane@example.org')
  })

  it('that are none are told apart', () => {
    for (const text of ['nonsense', 'A;B', ':value', 'NAME;P="open:value', 'NA ME:value', 'NAME;=x:y']) {
      assert.equal(readContentLine({ text, line: 1 }), null, text)
    }
  })

  it('split at separators that are not escaped', () => {
    assert.deepEqual(splitTexts('a\\,b,c\\\\,d\\;,'), ['a,b', 'c\\', 'd;', ''])
    assert.deepEqual(splitRaw('1;2\\;3', ';'), ['1', '2\\;3'])
    assert.equal(unescapeText('C:\\temp \\N \\n\\:'), 'C:\\temp \n \n:')
  })

  it('that do not end cost bounded memory and time', () => {
    const reader = new LineReader()
    const chunk = Buffer.alloc(65_536, 'A')
    const started = threadTime()
    for (let n = 0; n < 2000; n++) assert.deepEqual([...reader.push(chunk)], [])
    const [line] = [...reader.end()]
    assert.equal(line?.text.length, MAX_LINE)
    assert.equal(
      readContentLine({ text: `A${';A=b'.repeat(250_000)}:`, line: 1 })?.parameters.get('A')?.length,
      250_000,
    )
    assert.ok(threadTime() - started < 5000)
  })
})
