import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sources } from '../support/sources.ts'

/** A query of events, venues, organizers or terms, or of events as they were rendered. */
const QUERY =
  /(?:selectFrom|Join)\(\s*(?:\(?['`](?:events|venues|organizers|terms|event_templates)\b|RECORD_TABLE|table\(|`\$\{kind\}s`|LOGGED|owned\b|table\b)|\b(?:from|join) (?:events|venues|organizers|terms)\b/
/** What a function takes that queries for a reader, or gives the reason why there is none. */
const READER = /\b(?:Visibility|WithoutReader|\w*Filter|EventScope)\b/

/** Exported functions of storage that query records for nobody, by what they return, or do. */
const FOR_NOBODY: Record<string, readonly string[]> = {
  'published records': [
    'addresses list',
    'addresses listEvents',
    'event-templates lookUpPublished',
    'event-entries putEntry',
    'event-templates put',
  ],
  'ids, counts, times and sizes': [
    'addresses highestId',
    'audit/reading kindsOfTerms',
    'event-batch published',
    'event-filter mayHaveLong',
    'event-stream moves',
    'event-templates shortEvents',
    'events SIZE_BY_ID',
    'events SIZE_BY_SLUG',
    'events idSpan',
    'events isWithin',
    'events lockedTermIds',
    'events secretIds',
    'events stubsOf',
    'image-uses countUses',
    'images countUses',
    'import-runs isUsed',
    'import-runs revisions',
    'imports listEvents',
    'quotas countUnpublished',
    'records countBy',
    'records due',
    'records freeSlug',
    'series firstStart',
    'series originalStarts',
    'series seriesOf',
    'series termCounts',
    'suggestions countWaiting',
    'term-authors ownTerms',
    'terms depthBelow',
    'terms freeSlug',
    'terms isOfPublished',
    'terms named',
    'terms withDescendants',
  ],
  'what belongs to events that were read': [
    'event-entries categoryLinks',
    'event-links links',
    'event-links orderedLinks',
    'series getAll',
  ],
  'what a write changes': [
    'audit/reading read',
    'audit/reading readSettings',
    'events publishLinkedDrafts',
    'merging lockRows',
    'merging moveEvents',
    'series clearForeignParents',
    'series occurrences',
    'series setTermsOfAll',
    'series takenSlugs',
    'series update',
    'suggestions listOld',
    'terms publish',
    'terms remove',
  ],
  'copies and checks of the whole database': [
    'checks/counts findWrongCounts',
    'checks/counts repairCounts',
    'checks/shown-links shownLinks',
    'checks/words compareEvents',
    'checks/words compareNames',
    'checks/words repairEvents',
    'checks/words repairNames',
    'copy copyDatabase',
    'dialect postgres',
    'sqlite/place-index placeIndex',
    'sqlite/word-index containing',
    'sqlite/word-index derivedIndex',
  ],
}

interface Declaration {
  readonly name: string
  readonly isExported: boolean
  readonly text: string
}

function declarationsOf(text: string): Declaration[] {
  return text.split(/^(?=(?:export |async |function |const |class |interface |type ))/m).flatMap((one) => {
    const [, name] = /^(?:export )?(?:async )?(?:function\*? |const |class )(\w+)/.exec(one) ?? []
    return name === undefined ? [] : [{ name, isExported: one.startsWith('export'), text: one }]
  })
}

/** The text of a declaration, with that of all others of its file that it uses and that are not exported. */
function wholeText(declaration: Declaration, all: readonly Declaration[]): string {
  const used = new Set([declaration])
  for (const { text } of used)
    for (const other of all) if (!other.isExported && new RegExp(`\\b${other.name}\\b`).test(text)) used.add(other)
  return [...used].map(({ text }) => text).join('\n')
}

/** What a function takes: all before its body. */
function parametersOf({ text }: Declaration): string {
  return text.split(/ (?:=>|\{)\n/)[0] ?? ''
}

describe('readers', () => {
  const all = sources()

  it('are known to every query of records that shows something', () => {
    const unread = all
      .filter(({ file }) => /^storage\/(?!migrations\/)/.test(file))
      .flatMap(({ file, text }) => {
        const declarations = declarationsOf(text)
        return declarations
          .filter(({ isExported }) => isExported)
          .filter((one) => QUERY.test(wholeText(one, declarations)) && !READER.test(parametersOf(one)))
          .map(({ name }) => `${file.slice('storage/'.length, -'.ts'.length)} ${name}`)
      })
    assert.deepEqual(unread.sort(), Object.values(FOR_NOBODY).flat().sort())
  })

  it('are made of a user by the table of rights alone', () => {
    const makers = all.filter(({ text }) => /\bownPublished:/.test(text)).map(({ file }) => file)
    assert.deepEqual(makers.sort(), ['domain/access.ts', 'storage/visibility.ts'])
  })
})
