import { readFileSync } from 'node:fs'

/** The table of rights, test/fixtures/rights.txt: who gets what, in which way. */

export const READERS = ['anyone', 'subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type ReaderName = (typeof READERS)[number]

/** Whose record it is: the reader's own, or that of somebody else. */
export type Whose = 'others' | 'own'

/** The columns of a table of records. Nobody has records without signing in. */
export const COLUMNS: readonly (readonly [ReaderName, Whose])[] = READERS.flatMap(
  (name): (readonly [ReaderName, Whose])[] =>
    name === 'anyone'
      ? [[name, 'others']]
      : [
          [name, 'others'],
          [name, 'own'],
        ],
)

export const STATES = ['publish', 'future', 'private', 'draft', 'pending', 'draft→trash', 'publish→trash'] as const
/** Marks the state of a protected event. */
export const PROTECTED = '*'
/** Stands for all states that are not named. */
const REST = 'rest'

/** Expected marks by state, in the order of the columns. Where records have no state, that of all is ''. */
type Lines = ReadonlyMap<string, readonly string[]>
/** What is expected of each way to read or write. */
export type Section = ReadonlyMap<string, Lines>

const FILE = new URL('../../fixtures/rights.txt', import.meta.url)

/** All sections of the table, by title. */
export function readTable(text = readFileSync(FILE, 'utf8')): ReadonlyMap<string, Section> {
  const parts = text.replaceAll(/^--.*\n/gm, '').split(/^# /m)
  return new Map(
    parts.slice(1).map((part) => [part.slice(0, part.indexOf('\n')), sectionOf(part.split('\n').slice(1))]),
  )
}

function sectionOf(lines: readonly string[]): Section {
  const section = new Map<string, Map<string, readonly string[]>>()
  const add = (names: string, state: string, marks: readonly string[]) => {
    for (const name of expanded(names)) {
      const known = section.get(name) ?? new Map<string, readonly string[]>()
      for (const one of state.split(',')) {
        if (known.has(one)) throw new Error(`the table says twice what ${name} does (${one})`)
        known.set(one, marks)
      }
      section.set(name, known)
    }
  }
  let head = ''
  let isInBlock = false
  for (const line of lines) {
    const [, state = '', rest = ''] = /^ +(\S+) +(.*)$/.exec(line) ?? []
    const [, name = '', ofRoles = ''] = /^(\S.*?) {2,}(.*)$/.exec(line) ?? []
    if (state !== '') add(head, state, rest.split(/ +/))
    else if (name !== '') add(name, '', ofRoles.split(/ +/))
    else if (line !== '') head = isInBlock ? line : `${head} ${line}`.trim()
    isInBlock = state !== ''
    if (line === '') head = ''
  }
  return section
}

/** `events.list ?venue, ?organizer` are `events.list ?venue` and `events.list ?organizer`. */
function expanded(names: string): string[] {
  let route = ''
  return names.split(', ').map((name) => {
    if (name.startsWith('?')) return `${route} ${name}`
    route = routeOf(name)
    return name
  })
}

/** The endpoint or view of a way: its name without what is said of the request. */
export function routeOf(name: string): string {
  return name.replace(/ [?=(].*$/, '')
}

/** The expected mark of a state in a column. */
export function expectedMark(lines: Lines, state: string, column: number): string {
  return (lines.get(state) ?? lines.get(REST))?.[column] ?? 'no mark'
}

/** Whether a way changes records. */
export function isWrite(name: string): boolean {
  return /\.(create|update|remove|restore)|^POST|^batch.*(update|remove)/.test(name)
}
