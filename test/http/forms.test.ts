import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import qs from 'qs'
import { readForm } from '../../src/http/body.ts'
import { cpuTime } from '../support/cost.ts'
import fc from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const EVENT = 'title=F&start_date=2031-06-10&end_date=2031-06-11'

/** The longest that one request may hold the thread, in milliseconds. */
const LONGEST_HOLD = 50
/** What the request takes beside its body, with room for a loaded machine. */
const REQUEST = 50

const MOST = 5000
const repeated = (part: (n: number) => string, count = MOST) =>
  Array.from({ length: count }, (_, n) => part(n)).join('&')

const WORST: Record<string, string> = {
  'numbers that fall': repeated((n) => `a[${MOST - 1 - n}]=1`),
  'numbers that rise': repeated((n) => `a[${n}]=1`),
  'large numbers': repeated((n) => `a[${n * 2 ** 20}]=1`),
  'empty brackets': repeated(() => 'a[]=1'),
  'one name': repeated(() => 'a=1'),
  'one name with commas': repeated(() => `a=${','.repeat(200)}`),
  'different names': repeated((n) => `a${n}=1`),
  'deep names': repeated(() => 'a[b][c][d][e][f][g][h]=1'),
  'deep lists': repeated(() => 'a[0][0][0]=1'),
  'lists in lists': repeated((n) => `a[${n % 70}][${MOST - n}]=1`),
  'empty brackets in brackets': repeated(() => 'a[][][][]=1'),
  'elements with one field': repeated(() => 'a[][x]=1'),
  'elements with many fields': repeated((n) => `a[][x${n}]=1`),
  'a mixture': repeated((n) => ['a=1', 'a[]=2', `a[x${n}]=3`, 'a[7]=4'][n % 4] ?? ''),
  'the name __proto__': repeated(() => 'a[__proto__]=1'),
  'the name constructor': repeated(() => 'a[constructor]=1'),
  'a long name': `${'a'.repeat(900_000)}=1`,
  'brackets that are not closed': `a${'['.repeat(900_000)}=1`,
  'brackets without end': `a${'[b]'.repeat(300_000)}=1`,
  'percent signs': `a=${'%'.repeat(900_000)}`,
  'encoded letters': `a=${'%41'.repeat(300_000)}`,
  'bytes that are no text': repeated(() => '%FF=%FF'),
  'spaces as plus signs': `a=${'+'.repeat(900_000)}`,
  'ampersands to the limit': '&'.repeat(MOST - 1),
}

describe('a form', () => {
  let service: Service
  let secret: string
  before(async () => {
    service = await startService()
    secret = new URL(
      (await service.expect(201, 'editor', '/events', { raw: `${EVENT}&password=x`, headers: FORM })).url,
    ).pathname
  })
  after(() => service.close())

  for (const [what, raw] of Object.entries(WORST)) {
    it(`of ${what} is read in no time`, async () => {
      const read = await cpuTime(() => readForm(raw))
      assert.ok(read < LONGEST_HOLD, `reading took ${read} ms`)
      const sent = await cpuTime(async () => {
        const { statusCode, body } = await service.inject({
          method: 'POST',
          url: secret,
          headers: FORM,
          payload: raw,
        })
        assert.ok(statusCode === 403 || statusCode === 429, body)
      })
      assert.ok(sent < LONGEST_HOLD + REQUEST, `the request took ${sent} ms`)
    })
  }

  it('to an event that does not exist is not even read', async () => {
    const send = (payload: string) =>
      service.inject({ method: 'POST', url: '/event/none/', headers: FORM, payload }).then((one) => one.statusCode)
    assert.equal(await send(repeated(() => 'a=1', MOST + 1)), 404)
    assert.equal(await send('password=x'), 404)
  })

  it('of too many fields is refused in words, and so is a query', async () => {
    const raw = repeated((n) => `a${n}=1`, MOST + 1)
    const error = await service.expect(400, 'editor', '/events', { raw, headers: FORM })
    assert.deepEqual([error.code, error.message.includes(String(MOST))], ['rest_too_many_fields', true])
    assert.equal(
      (await service.call(null, `/events?${'tags[]&'.repeat(MOST + 1)}`)).json().code,
      'rest_too_many_fields',
    )
  })

  const meanings: Record<string, Record<string, unknown>> = {
    'a=1&b=2': { a: '1', b: '2' },
    'a=1&a=2': { a: ['1', '2'] },
    'a=1,2': { a: '1,2' },
    'a=1,2&a=+3+': { a: ['1', '2', ' 3 '] },
    'a=1,+2&a=3': { a: ['1', '2', '3'] },
    'a[]=1,2&a[]=3': { a: ['1,2', '3'] },
    'a[]=1': { a: ['1'] },
    'a[]=1&a[]=2&a=3': { a: ['1', '2', '3'] },
    'a[9]=c&a[1]=b&a[0]=a': { a: ['a', 'b', 'c'] },
    'a[1700000000]=b&a[5001]=a': { a: ['a', 'b'] },
    'a[x]=1&a[y][z]=2': { a: { x: '1', y: { z: '2' } } },
    'a[0][x]=1&a[0][y]=2&a[1][x]=3': { a: [{ x: '1', y: '2' }, { x: '3' }] },
    'a[][x]=1&a[][y]=2&a[][x]=3': { a: [{ x: '1', y: '2' }, { x: '3' }] },
    'a=1&a[x]=2': { a: ['1', { x: '2' }] },
    'a[x]=2&a=1': { a: [{ x: '2' }, '1'] },
    'a=1&a[]=2&a[x]=3': { a: { 0: '1', 1: '2', x: '3' } },
    'a=https://x.org/?b[]=c': { a: 'https://x.org/?b[]=c' },
    'a=x]=y': { a: 'x]=y' },
    'a%5Bb%5D=c%26d%3De+f': { a: { b: 'c&d=e f' } },
    'a=%zz+%FF': { a: '%zz %FF' },
    'ü=%C3%BC&a=日本+%E6%97%A5': { ü: 'ü', a: '日本 日' },
    '&&a&=x&': { a: '' },
    'a[b=1&c]=2': { 'a[b': '1', 'c]': '2' },
    'a[__proto__]=1&__proto__[x]=2&a[b][constructor]=3&toString=4&a[c]=5': { a: { c: '5' } },
    'a[b][c][d][e][f][g][h]=1': { a: { b: { c: { d: { e: { f: { '[g][h]': '1' } } } } } } },
  }
  for (const [text, fields] of Object.entries(meanings)) {
    it(`reads ${text}`, () => assert.deepEqual(readForm(text), fields))
  }

  const part = fc.constantFrom('', 'x', 'y', 'ü', '0', '1', '2', '10')
  const name = fc
    .tuple(fc.constantFrom('a', 'b', 'c d'), fc.array(part, { maxLength: 3 }))
    .map(([first, more]) => `${first}${more.map((one) => `[${one}]`).join('')}`)
  const value = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 5 })
    .filter((text) => text.isWellFormed() && !text.includes(','))

  it('means what qs takes it for, where names are used in one way', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (pairs) => {
        fc.pre(areConsistent(pairs.map(([one]) => one)))
        const text = pairs.map(([one, other]) => `${encode(one)}=${encode(other)}`).join('&')
        assert.deepEqual(readForm(text), { ...qs.parse(text, { arrayLimit: MOST, depth: 5 }) })
      }),
      { numRuns: times(3000, 1000) },
    )
  })
})

/** Encoded as browsers do, or with brackets as people write them. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%5B0', '[0')
}

/** Whether no name is used both by itself and with brackets, nor with numbers and other names, and `[]` comes last alone. */
function areConsistent(names: readonly string[]): boolean {
  const uses = new Map<string, Set<string>>()
  for (const name of names) {
    const path = name.match(/^[^[]+|\[[^\]]*\]/g) ?? []
    for (let at = 0; at < path.length; at++) {
      const next = path[at + 1]
      const use = next === undefined ? 'value' : next === '[]' ? 'list' : /\d/.test(next) ? next : 'name'
      const place = path.slice(0, at + 1).join('')
      uses.set(place, (uses.get(place) ?? new Set()).add(use))
      if (path[at] === '[]' && next !== undefined) return false
    }
  }
  return [...uses.values()].every((ways) => ways.size === 1 || [...ways].every((way) => /\d/.test(way)))
}
