import { toInstant } from '../calendar/zone.ts'
import { byLinkedKind, LINKED_KINDS } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { todayOf } from './event-filter.ts'
import type { Choice, Choices } from './kept-choices.ts'
import * as linked from './linked-records.ts'
import type { Scope } from './scope.ts'
import * as terms from './terms.ts'

/** Limit on choices of a filter. */
const MAX_CHOICES = 50

/**
 * The choices of a reader. Every page with a list has the same, so those of everybody are kept until the data changes or
 * the day ends. `version` is that of the data that the answer is made from, if it is known.
 */
export async function choicesOf(scope: Scope, version: string | null): Promise<Choices> {
  const day = todayOf(scope)
  const { choices: kept } = scope
  if (!kept.isOn || version === null || scope.user !== null) return readChoices(scope, day)
  const known = kept.get(version, day)
  if (known !== null && (await scope.db.read((tx) => scope.db.isAt(tx, version)))) return known
  return scope.db.snapshot(async (db) => {
    const choices = await readChoices({ ...scope, db }, day)
    if (await db.readMany((tx) => db.isAt(tx, version, true))) kept.keep(version, day, choices)
    return choices
  })
}

async function readChoices(scope: Scope, day: string): Promise<Choices> {
  const term = async (kind: TermKind): Promise<Choice[]> => {
    const { rows } = await terms.list(scope, kind, () => ({ per_page: MAX_CHOICES, orderby: 'count', order: 'desc' }))
    return rows.map(({ slug, name }) => [slug, name])
  }
  const [category, tag] = [await term('category'), await term('tag')]
  const records = byLinkedKind((): Choice[] => [])
  const midnight = toInstant(`${day} 00:00:00`, scope.site.timezone)
  for (const kind of LINKED_KINDS) {
    const rows = await linked.listUpcoming(scope, kind, midnight, MAX_CHOICES)
    records[kind] = rows.map((row) => [row.slug, String(row[kind])])
  }
  return { category, tag, ...records }
}
