import { Generations } from '../../lib/generations.ts'
import { headOf, type Template, templateFrom } from './event-template.ts'

/** How much is held in memory, in bytes. */
const MOST_BYTES = 8 * 2 ** 20
/** What a template takes beside its bytes. */
const OVERHEAD = 600

/** How many stores may share a scratch file. */
export const MOST_STORES = 256

/** Where there is room for more than should be in memory: see http/cache/scratch-file.ts. */
export interface Scratch {
  has(key: number): boolean
  get(key: number): [revision: number, head: string, body: Buffer] | undefined
  put(key: number, revision: number, head: string, body: Uint8Array): void
  delete(key: number): void
  clear(): void
  close(): void
}

/** Templates of events: those asked for last in memory, all others beside it. Nothing in it is older than the process. */
export class TemplateStore {
  readonly #scratch: Scratch
  readonly #place: number
  readonly #recent = new Generations<number, Template>(MOST_BYTES)

  /** Several stores share a scratch file: `place` tells them apart. */
  constructor(scratch: Scratch, place: number) {
    this.#scratch = scratch
    this.#place = place
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
    return event * MOST_STORES + this.#place
  }
}

function sizeOf({ body }: Template): number {
  return body.length + OVERHEAD
}
