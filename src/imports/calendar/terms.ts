import { unescapeText } from '../../calendar/content-lines.ts'
import { readingOf } from '../../domain/records.ts'
import type { Scope } from '../../domain/scope.ts'
import * as terms from '../../domain/terms.ts'
import { fold } from '../../lib/fold.ts'
import { readFields } from '../../schema/field.ts'
import { categoryFields, type TermKind, tagFields } from '../../schema/term.ts'
import type { Tx } from '../../storage/dialect.ts'
import * as storage from '../../storage/terms.ts'
import type { FoundIds } from '../import-run.ts'

const FIELDS = { category: categoryFields, tag: tagFields }

/** How many characters of descriptions of terms are kept: of every one that a calendar has, as its events come later. */
const MAX_CHARACTERS = 20_000_000

/** As deep as the tree of categories may be. */
const DEEPEST = 20

/** What an export of ours tells of its categories and tags, by which they are made as they were there. */
export class TermsSaid {
  readonly #said = new Map<string, Record<string, unknown>>()
  #size = 0

  /** Takes the value of a line that describes a term; what is none is left alone. */
  add(value: string): void {
    this.#size += value.length
    if (this.#size > MAX_CHARACTERS) return
    try {
      const term: unknown = JSON.parse(unescapeText(value))
      if (typeof term !== 'object' || term === null) return
      const { kind, slug } = term as Record<string, unknown>
      this.#said.set(`${kind}\n${slug}`, { ...term })
    } catch {
      // A line that something has cut off.
    }
  }

  /** The ids here of terms by their slugs there; null if one of them was not told of. */
  async ids(tx: Tx, scope: Scope, kind: TermKind, slugs: unknown, found: FoundIds): Promise<number[] | null> {
    if (!Array.isArray(slugs) || slugs.length > 100) return null
    const ids: number[] = []
    for (const slug of slugs) {
      const id = await this.#id(tx, scope, kind, String(slug), found)
      if (id === null) return null
      ids.push(id)
    }
    return ids
  }

  /** One with the same name in the same place is taken for it; `below` is the way up to it, which may be a circle. */
  async #id(
    tx: Tx,
    scope: Scope,
    kind: TermKind,
    slug: string,
    found: FoundIds,
    below: readonly string[] = [],
  ): Promise<number | null> {
    const key = `${kind} there\n${slug}`
    const known = found.get(key)
    if (known !== undefined) return known
    const said = this.#said.get(`${kind}\n${slug}`)
    if (said === undefined || below.includes(slug) || below.length >= DEEPEST) return null
    const { parent: above, ...data } = said
    const { values, problems } = readFields(FIELDS[kind], data, { mode: 'create', reading: readingOf(scope) })
    const { name, slug: wanted = null, description = null } = values
    if (name === undefined || Object.keys(problems).length > 0) return null
    const isPart = kind === 'category' && Boolean(above)
    const parent = isPart ? await this.#id(tx, scope, kind, String(above), found, [slug, ...below]) : 0
    await storage.lock(tx, kind)
    const id =
      (await storage.sibling(tx, kind, parent ?? 0, fold(name), 'no reader: write'))?.id ??
      (await terms.insert(tx, scope, kind, { name, parent: parent ?? 0, slug: wanted, description })).id
    found.set(key, id)
    return id
  }
}
