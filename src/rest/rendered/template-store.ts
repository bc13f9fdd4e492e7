import { PackedTexts } from '../../lib/packed-texts.ts'
import { packed, type Template, unpacked } from './event-template.ts'

/** Memory limit, in bytes. */
const MAX_BYTES = 48 * 2 ** 20

/** Limit on stores that share their memory. */
const MAX_STORES = 1024

/** Memory of templates, which the stores of several addresses share. */
export class TemplateMemory {
  readonly #templates = new PackedTexts(MAX_BYTES)
  #stores = 0

  /** A new store, which knows nothing of the others. */
  open(): TemplateStore {
    if (++this.#stores % MAX_STORES === 0) this.#templates.clear()
    return new TemplateStore(this.#templates, this.#stores % MAX_STORES)
  }
}

/** Templates by event. */
export class TemplateStore {
  readonly #templates: PackedTexts
  readonly #number: number

  constructor(templates: PackedTexts, number: number) {
    this.#templates = templates
    this.#number = number
  }

  get(event: number): Template | undefined {
    const text = this.#templates.get(this.#keyOf(event))
    return text === undefined ? undefined : unpacked(text)
  }

  put(event: number, template: Template): void {
    this.#templates.set(this.#keyOf(event), packed(template))
  }

  #keyOf(event: number): number {
    return event * MAX_STORES + this.#number
  }
}
