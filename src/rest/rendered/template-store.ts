import type { ScratchFile } from '../../http/cache/scratch-file.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { headOf, type Template, templateFrom } from './event-template.ts'

/** How much is held in memory, in bytes. */
const MOST_BYTES = 8 * 2 ** 20
/** What a template takes beside its bytes. */
const OVERHEAD = 600

/** How many stores may share a scratch file. */
export const MOST_STORES = 256

/** Templates by event; one of another revision is none. */
export interface Templates {
  get(event: number, revision: number): Template | undefined
  put(event: number, template: Template): void
}

/** The templates of one request. */
export class TemporaryTemplates implements Templates {
  readonly #templates = new Map<number, Template>()

  get(event: number, revision: number): Template | undefined {
    const template = this.#templates.get(event)
    return template?.revision === revision ? template : undefined
  }

  put(event: number, template: Template): void {
    this.#templates.set(event, template)
  }
}

/** Templates for many requests: those used last in memory, the others in a scratch file. */
export class TemplateStore implements Templates {
  readonly #scratch: ScratchFile
  readonly #number: number
  readonly #recent = new BoundedCache<number, Template>(MOST_BYTES)

  /** Several stores share a scratch file: their numbers tell them apart. */
  constructor(scratch: ScratchFile, number: number) {
    this.#scratch = scratch
    this.#number = number
  }

  get(event: number, revision: number): Template | undefined {
    const recent = this.#recent.get(event, sizeOf)
    if (recent !== undefined) return recent.revision === revision ? recent : undefined
    const row = this.#scratch.get(this.#keyOf(event))
    if (row === undefined || row[0] !== revision) return undefined
    const template = templateFrom(...row)
    this.#recent.set(event, template, sizeOf(template))
    return template
  }

  put(event: number, template: Template): void {
    this.#recent.delete(event)
    this.#recent.set(event, template, sizeOf(template))
    this.#scratch.put(this.#keyOf(event), template.revision, headOf(template), template.body)
  }

  #keyOf(event: number): number {
    return event * MOST_STORES + this.#number
  }
}

function sizeOf({ body }: Template): number {
  return body.length + OVERHEAD
}
