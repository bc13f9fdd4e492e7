import { SampledCache } from '../../lib/sampled-cache.ts'
import type { Template } from './event-template.ts'

/** Memory limit, in bytes. */
const MAX_BYTES = 48 * 2 ** 20
/** Size of a template besides its text. */
const OVERHEAD = 500
const WIDE = /[^\0-\xff]/

/** Limit on stores that share their memory. */
const MAX_STORES = 1024

/** Memory of templates, which the stores of several addresses share. */
export class TemplateMemory {
  readonly #templates = new SampledCache<number, Template>(MAX_BYTES)
  #stores = 0

  /** A new store, which knows nothing of the others. */
  open(): TemplateStore {
    if (++this.#stores % MAX_STORES === 0) this.#templates.clear()
    return new TemplateStore(this.#templates, this.#stores % MAX_STORES)
  }
}

/** Templates by event and revision. */
export class TemplateStore {
  readonly #templates: SampledCache<number, Template>
  readonly #number: number

  constructor(templates: SampledCache<number, Template>, number: number) {
    this.#templates = templates
    this.#number = number
  }

  get(event: number, revision: number): Template | undefined {
    const template = this.#templates.get(this.#keyOf(event))
    return template?.revision === revision ? template : undefined
  }

  put(event: number, template: Template): void {
    this.#templates.set(this.#keyOf(event), template, sizeOf(template))
  }

  #keyOf(event: number): number {
    return event * MAX_STORES + this.#number
  }
}

/** A text takes a byte for each character, unless one of them needs two. */
function sizeOf({ text }: Template): number {
  return text.length * (WIDE.test(text) ? 2 : 1) + OVERHEAD
}
