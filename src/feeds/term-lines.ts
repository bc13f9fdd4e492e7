import type { Event } from '../domain/events.ts'
import type { TermRow } from '../domain/terms.ts'
import { asHtml } from '../lib/html.ts'

/** Tells of every category and tag of an export once, with the first event that needs it. */
export class TermLines {
  readonly #categories: ReadonlyMap<number, TermRow>
  readonly #told = new Set<number>()

  constructor(categories: readonly TermRow[]) {
    this.#categories = new Map(categories.map((category) => [category.id, category]))
  }

  /** The terms of an event, and those above them, that were not told of before. */
  of({ categories, tags }: Event): string[] {
    const lines: string[] = []
    for (const term of [...categories, ...tags]) {
      let next: TermRow | undefined = term
      while (next !== undefined && !this.#told.has(next.id)) {
        this.#told.add(next.id)
        lines.push(this.#line(next))
        next = this.#categories.get(next.parent)
      }
    }
    return lines
  }

  #line({ kind, name, slug, description, parent }: TermRow): string {
    const above = this.#categories.get(parent)?.slug
    return JSON.stringify({
      kind,
      name: asHtml(name),
      slug,
      ...(description && { description }),
      ...(above !== undefined && { parent: above }),
    })
  }
}
