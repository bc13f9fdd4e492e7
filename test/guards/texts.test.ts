import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ERRORS } from '../../src/lib/errors.ts'
import { DEFAULT_LANGUAGE, keysOf, LANGUAGES, text } from '../../src/lib/texts.ts'
import { FORM_FIELDS } from '../../src/manage/records/linked-form.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import { LINKED_KINDS, type LinkedKind } from '../../src/schema/linked.ts'
import { RESPONSES } from '../../src/schema/responses.ts'
import { ticketFields } from '../../src/schema/ticket.ts'
import { sources } from '../support/sources.ts'

/** The keys of texts in schemas. */
const inSchemas = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) => (name === 'x-text' ? [String(part)] : inSchemas(part)))
    : []

/** The keys of the screens for a kind of record: its section, its name, and its fields. */
const screenTexts = (kind: LinkedKind) => [
  `pages.manage_screens.sections.${kind}s`,
  `pages.manage_screens.records.new_${kind}`,
  ...FORM_FIELDS[kind].map((name) => `pages.manage_screens.fields.${name}`),
]

/** The keys that the sources ask for. */
function wanted(): string[] {
  const problems = sources().flatMap(({ text: source }) => [
    ...[...source.matchAll(/problem: '(\w+)'/g)].map(([, key]) => key),
    ...[...source.matchAll(/new Refused\('(\w+)'/g)].map(([, key]) => key),
  ])
  return [
    ...endpoints.flatMap(({ parameters }) => Object.values(parameters).map((field) => `fields.${field.text}`)),
    ...Object.values(ticketFields).map((field) => `fields.${field.text}`),
    ...endpoints.map(({ name }) => `operations.${name}`),
    ...endpoints.map(({ name }) => `documentation.groups.${name.split('.')[0]}`),
    ...LINKED_KINDS.flatMap((kind) => [`problems.no_such_${kind}`, `pages.${kind}`, ...screenTexts(kind)]),
    ...inSchemas(RESPONSES),
    ...Object.keys(ERRORS).map((code) => `errors.${code}`),
    ...problems.map((key) => `problems.${key}`),
  ]
}

const placeholders = (language: string, key: string) => (text(language, key).match(/\{\w+\}/g) ?? []).sort()

describe('texts', () => {
  it('exist in more than one language', () => assert.ok(LANGUAGES.length > 1))

  for (const language of LANGUAGES) {
    it(`say in ${language} what every field, operation, error and problem is`, () => {
      const keys = new Set(keysOf(language))
      assert.deepEqual(
        [...new Set(wanted())].filter((key) => !keys.has(key)),
        [],
      )
    })

    it(`have in ${language} the keys of the others, with the same places to fill`, () => {
      assert.deepEqual(keysOf(language).sort(), keysOf(DEFAULT_LANGUAGE).sort())
      for (const key of keysOf(language))
        assert.deepEqual(placeholders(language, key), placeholders(DEFAULT_LANGUAGE, key), key)
    })
  }
})
