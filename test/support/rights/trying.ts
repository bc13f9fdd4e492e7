import assert from 'node:assert/strict'
import { it } from 'node:test'
import { IS_THOROUGH } from '../thorough.ts'
import type { Marking } from './marks.ts'
import type { Way } from './readers.ts'
import { readingEvents, readingLinked, readingVenues } from './reading.ts'
import { creating, type RoleMarking, termRights, termScreens } from './roles.ts'
import { screens, services } from './services.ts'
import { COLUMNS, expectedMark, isWrite, PROTECTED, READERS, type ReaderName, readTable, type Whose } from './table.ts'
import { assistants, eventPages, feedsOf, linkedAssistants, linkedPages } from './viewing.ts'
import type { Kind, World } from './world.ts'
import { writing, writingLinked } from './writing.ts'

/** Compares the cells of the table with what readers get. */

/** How readers sign in, in turn. */
const REST: readonly Way[] = ['password', 'token']
const PAGES: readonly Way[] = ['session']
const ALL: readonly Way[] = ['session', 'password', 'token']
const TOKENS: readonly Way[] = ['token']

const LINKED = ['venue', 'organizer'] as const

/** Ways to read or write the records of a kind, and how to sign in for them. */
type Part = readonly [Kind, Readonly<Record<string, Marking>>, readonly Way[]]

export const READING: readonly Part[] = [
  ['event', readingEvents, REST],
  ['event', feedsOf('event'), ALL],
  ['event', eventPages, PAGES],
  ['event', assistants, TOKENS],
  ['venue', readingVenues, REST],
  ['organizer', readingLinked('organizer'), REST],
  ...LINKED.map((kind) => [kind, feedsOf(kind), ALL] as const),
  ...LINKED.map((kind) => [kind, linkedPages(kind), PAGES] as const),
  ...LINKED.map((kind) => [kind, linkedAssistants(kind), TOKENS] as const),
]

export const WRITING: readonly Part[] = [
  ['event', writing, REST],
  ...LINKED.map((kind) => [kind, writingLinked(kind), REST] as const),
]

/** Ways that `npm test` leaves out: others of the same endpoint, or of another kind, go the same way. */
const LEFT_OUT = [
  /by-slug \?|update-by-slug|update_|day\/:slug$|=future$/,
  /^organizers\.(?!get$|list|update$)|_organizer|manage\/organizers\//,
  /^batch.*(venues|organizers|remove)|^venues\.update =(draft|trash|nothing|author)/,
  /^(categories|organizers)\.list \?event|\?post=/,
]

/**
 * Whether a cell is tried. Where each takes a request, `npm test` leaves out what differs little: administrators, whose rights
 * on records are those of editors, these and subscribers twice, and writes of protected events.
 */
function isTried(name: string, { isEach }: Marking, state: string, reader: ReaderName, whose: Whose): boolean {
  if (IS_THOROUGH || !isEach) return true
  if (reader === 'administrator' || (reader === 'editor' && whose === 'own')) return false
  if (reader === 'subscriber' && whose === 'others') return false
  return !isWrite(name) || !state.endsWith(PROTECTED)
}

export const ROLES: readonly (readonly [title: string, Readonly<Record<string, RoleMarking>>, readonly Way[]])[] = [
  ['New records', creating, REST],
  ['Categories and tags', termRights, REST],
  ['Categories and tags', termScreens, PAGES],
  ['The service', services, REST],
  ['Screens', screens, PAGES],
]

const table = readTable()

/** Tests of the ways of some parts. Each reader signs in by another means from one way to the next. */
export function tryRecords(parts: readonly Part[], world: () => World): void {
  let turn = 0
  for (const [kind, ways, by] of parts) {
    const title = kind === 'event' ? 'Events' : 'Venues and organizers'
    for (const [name, marking] of Object.entries(ways)) {
      if (!IS_THOROUGH && LEFT_OUT.some((left) => left.test(name))) continue
      it(`is so of ${name} (${kind})`, async () => {
        const lines = table.get(title)?.get(name)
        assert.ok(lines, 'it is not in the table')
        const wrong: string[] = []
        turn++
        for (const [n, reader] of READERS.entries()) {
          const way = by[(turn + n) % by.length] ?? 'password'
          const mark = await marking(world(), world().reader(reader, way))
          for (const [column, [ofReader, whose]] of COLUMNS.entries()) {
            if (ofReader !== reader) continue
            const owner = whose === 'own' ? reader : 'someone'
            for (const entry of world().entries) {
              const { state } = entry
              if (entry.kind !== kind || entry.owner !== owner) continue
              if (!isTried(name, marking, state, reader, whose)) continue
              const [found, expected] = [await mark(entry), expectedMark(lines, state, column)]
              if (found !== expected) wrong.push(`${reader} (${way}), ${whose}, ${state}: ${found}, not ${expected}`)
            }
          }
        }
        assert.equal(wrong.join('\n'), '')
      })
    }
  }
}

/** Tests of what roles may do. */
export function tryRoles(world: () => World): void {
  for (const [title, ways, by] of ROLES)
    for (const [name, marking] of Object.entries(ways))
      it(`is so of ${name}`, async () => {
        const lines = table.get(title)?.get(name)
        assert.ok(lines, 'it is not in the table')
        const wrong: string[] = []
        for (const [column, reader] of READERS.entries())
          for (const way of reader === 'anyone' ? by.slice(0, 1) : by) {
            const found = await marking(world(), world().reader(reader, way))
            const [first = '', withToken = first] = expectedMark(lines, '', column).split('/')
            const expected = way === 'token' ? withToken : first
            if (expected !== '*' && found !== expected) wrong.push(`${reader} (${way}): ${found}, not ${expected}`)
          }
        assert.equal(wrong.join('\n'), '')
      })
}
