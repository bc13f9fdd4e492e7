import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { EXPORTS, FORMATS, feedFormats } from '../../src/feeds/formats.ts'

const endings = (of: 'lists' | 'events') => feedFormats(of).map(({ extension }) => `\`.${extension}\``)
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('the list of formats', () => {
  it('is the one that the table of feeds in docs/api.md shows', () => {
    const [, section = ''] = read('docs/api.md').split('\n## Feeds\n')
    const rows = section.split('\n\n')[0]?.split('\n').slice(2) ?? []
    assert.ok(rows.length > 0)
    for (const row of rows) {
      const [, of = '', , formats = ''] = row.split('|').map((cell) => cell.trim())
      assert.deepEqual(formats.split(' '), endings(of === 'one event' ? 'events' : 'lists'), row)
    }
  })

  it('is the one that README.md tells of', () => {
    for (const { label, extension } of feedFormats('lists'))
      assert.match(read('README.md').replace(/\s+/g, ' '), new RegExp(`${label} \\(\`\\.${extension}\``))
  })

  it('is the one of exports in docs/api.md', () => {
    assert.ok(read('docs/api.md').includes(`kalends export --format ${[...EXPORTS.keys()].join('|')}\``))
    for (const name of EXPORTS.keys()) assert.match(read('docs/api.md'), new RegExp(`^- \`${name}\` `, 'm'))
  })

  it('has one format for each ending of a feed, and for each name of an export', () => {
    for (const some of [feedFormats('lists'), feedFormats('events'), FORMATS.filter(({ isExport }) => isExport)]) {
      const names = some.map(({ extension }) => extension)
      assert.deepEqual(names, [...new Set(names)])
    }
  })

  it('has no feed of an event in a format that lists do not have', () => {
    for (const format of feedFormats('events')) assert.ok(feedFormats('lists').includes(format), format.label)
  })
})
