import { hash } from 'node:crypto'
import type { Site } from '../../domain/scope.ts'
import type { ScratchFile } from '../../http/cache/scratch-file.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { headOf, type Template, templateFrom } from './event-template.ts'

/** Memory limit, in bytes. */
const MAX_BYTES = 8 * 2 ** 20
/** Size of a template besides its bytes. */
const OVERHEAD = 600

/** Limit on stores that share a scratch file. */
export const MAX_STORES = 256

/** Templates by event and revision. */
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

/** Templates across requests: recent ones in memory, others in a scratch file. */
export class TemplateStore implements Templates {
  readonly #scratch: ScratchFile
  readonly #number: number
  /** Begins each head: a template of other settings of the site is not ours. */
  readonly #site: string
  readonly #recent = new BoundedCache<number, Template>(MAX_BYTES)

  /** Several stores share a scratch file: their numbers tell them apart. */
  constructor(scratch: ScratchFile, number: number, site: Site) {
    this.#scratch = scratch
    this.#number = number
    this.#site = `${hash('sha1', JSON.stringify(site), 'base64url')} `
  }

  get(event: number, revision: number): Template | undefined {
    const recent = this.#recent.get(event, sizeOf)
    if (recent !== undefined) return recent.revision === revision ? recent : undefined
    const row = this.#scratch.get(this.#keyOf(event))
    if (row === undefined || row[0] !== revision || !row[1].startsWith(this.#site)) return undefined
    const template = templateFrom(revision, row[1].slice(this.#site.length), row[2])
    this.#recent.set(event, template, sizeOf(template))
    return template
  }

  put(event: number, template: Template): void {
    this.#recent.delete(event)
    this.#recent.set(event, template, sizeOf(template))
    this.#scratch.put(this.#keyOf(event), template.revision, `${this.#site}${headOf(template)}`, template.body)
  }

  #keyOf(event: number): number {
    return event * MAX_STORES + this.#number
  }
}

function sizeOf({ body }: Template): number {
  return body.length + OVERHEAD
}
