import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { matchesEtag } from '../../src/http/conditional.ts'
import { type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const EVENT = { title: 'A concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
const KINDS: readonly (readonly [path: string, made: object, field: string])[] = [
  ['/events', EVENT, 'title'],
  ['/venues', { venue: 'A hall' }, 'city'],
  ['/organizers', { organizer: 'A choir' }, 'phone'],
  ['/categories', { name: 'Music' }, 'description'],
  ['/tags', { name: 'New' }, 'description'],
]

/** Conditions that name a tag, such as `"5-abc"`. */
const naming = (tag: string) => [
  tag,
  `W/${tag}`,
  ` ${tag} `,
  `"x", ${tag}`,
  `"x",${tag},"y"`,
  `${tag} , "x"`,
  `${tag},${tag}`,
  `W/"x", W/${tag}`,
  `, ${tag}`,
  tag.replace(/"$/, '~br"'),
  tag.replace(/"$/, '~gzip"'),
  '*',
  ' * ',
]

/** Conditions that name no tag of a record. */
const NONE = [
  '',
  ' ',
  '""',
  'W/""',
  '"x"',
  '"*"',
  'W/"*"',
  '"x", "*"',
  '*, "x"',
  '**',
  '"',
  ',',
  '"-"',
  '"0"',
  '"undefined"',
  '"null"',
]

/** Conditions that only look like a tag. */
function almost(tag: string): string[] {
  const plain = tag.slice(1, -1)
  return [plain, `'${plain}'`, `"${plain}`, `${plain}"`, `"${plain.slice(1)}"`, `" ${plain}"`, `"x${plain}"`, `"~br"`]
}

describe('a condition of a request', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  for (const [path, made, field] of KINDS) {
    /** A record, what reads it, and what changes it under a condition. */
    const make = async () => {
      const { id } = await service.expect(201, 'editor', path, { json: made })
      const url = `${path}/${id}`
      const tag = async () => String((await service.call('editor', url)).headers.etag)
      let changes = 0
      const change = async (condition: string | null, method: 'PUT' | 'PATCH' | 'DELETE' = 'PUT') => {
        const json = method === 'DELETE' ? {} : { json: { [field]: `Change ${++changes}` } }
        const headers: Record<string, string> = condition === null ? {} : { 'if-match': condition }
        return (await service.call('editor', url, { method, headers, ...json })).statusCode
      }
      return { url, tag, change }
    }

    it(`lets a change of ${path} through if it names the tag, and refuses every other`, async () => {
      const { url, tag, change } = await make()
      const first = await tag()
      for (const n of naming(first).keys()) {
        const condition = naming(await tag())[n] ?? ''
        assert.equal(await change(condition), 200, condition)
      }
      const last = await tag()
      const [revision = ''] = last.slice(1).split('-')
      const [older = ''] = first.slice(1).split('-')
      // Revisions of events, venues and organizers are numbers: this one begins as the first did.
      const others = [first, `"${older}"`, `"${revision}0-x"`, `"${revision.slice(0, -1)}-x"`, `"${revision}~x-y"`]
      const wrong = [...NONE, ...almost(last), ...others]
      for (const condition of wrong)
        for (const method of some(['PUT', 'DELETE', 'PATCH'] as const, 2))
          assert.equal(await change(condition, method), 412, `${method} with ${condition} of ${last}`)
      assert.equal(await tag(), last)
      assert.equal(await change(await tag(), 'DELETE'), 200)
      assert.ok((await service.call('editor', url)).statusCode < 500)
    })

    it(`answers 304 for one of ${path} if it names the tag, and the record for every other`, async () => {
      const { url, tag } = await make()
      const own = await tag()
      const ask = async (condition: string) =>
        (await service.call('editor', url, { headers: { 'if-none-match': condition } })).statusCode
      for (const condition of naming(own)) assert.equal(await ask(condition), 304, condition)
      const others = [
        `${own.slice(0, -2)}"`,
        `${own.slice(0, -1)}x"`,
        own.replace(/-.*/, '"'),
        own.replace(/"$/, '~zip"'),
      ]
      for (const condition of [...NONE, ...almost(own), ...others]) assert.equal(await ask(condition), 200, condition)
    })
  }

  it('is read alike for answers from memory', () => {
    for (const tag of ['5-abc', 'abc', '12-x_-y']) {
      for (const condition of naming(`"${tag}"`)) assert.ok(matchesEtag(tag, condition), condition)
      const wrong = [...NONE, ...almost(`"${tag}"`), `"${tag}~"`, `"${tag}~x"`, `"${tag}x"`, `"${tag}`, `"${tag} "`]
      for (const condition of wrong) assert.ok(!matchesEtag(tag, condition), condition)
      assert.ok(!matchesEtag(tag, undefined))
    }
  })
})
