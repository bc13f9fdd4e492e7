import type { Event } from '../domain/events.ts'
import type { TermRow } from '../domain/terms.ts'
import { asHtml } from '../lib/html.ts'

/** Describes each category and tag of an export once, before the first event that has it. */
export class TermLines {
  readonly #told = new Set<number>()

  /** Terms of an event and their ancestors that were not described before. */
  of({ categories, tags }: Event): string[] {
    const lines: string[] = []
    for (const term of [...categories, ...tags]) {
      const way = [term, ...term.above]
      for (const [n, one] of way.entries()) {
        if (this.#told.has(one.id)) break
        this.#told.add(one.id)
        lines.push(lineOf(one, way[n + 1]))
      }
    }
    return lines
  }
}

function lineOf({ kind, name, slug, description }: TermRow, above: TermRow | undefined): string {
  return JSON.stringify({
    kind,
    name: asHtml(name),
    slug,
    ...(description && { description }),
    ...(above !== undefined && { parent: above.slug }),
  })
}
