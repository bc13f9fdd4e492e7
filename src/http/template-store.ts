import { Generations } from '../lib/generations.ts'
import { headOf, type Template, templateFrom } from './event-template.ts'

/** How much is held in memory, in bytes. */
const MOST_BYTES = 8 * 2 ** 20
/** What a template takes beside its bytes. */
const OVERHEAD = 600

/** Where there is room for more than should be in memory: see storage/scratch.ts. */
export interface Scratch {
  has(key: number): boolean
  get(key: number, room?: (length: number) => Buffer): [revision: number, head: string, body: Buffer] | undefined
  put(key: number, revision: number, head: string, body: Uint8Array): void
  delete(key: number): void
  clear(): void
  close(): void
}

/** Templates of events: those asked for last in memory, all others beside it. Nothing in it is older than the process. */
export class TemplateStore {
  readonly #scratch: Scratch
  readonly #recent = new Generations<number, Template>(MOST_BYTES)

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  get(event: number, revision: number): Template | undefined {
    const recent = this.#recent.get(event, sizeOf)
    if (recent !== undefined) return recent.revision === revision ? recent : undefined
    const row = this.#scratch.get(event)
    if (row === undefined || row[0] !== revision) return undefined
    const template = templateFrom(...row)
    this.#recent.set(event, template, sizeOf(template))
    return template
  }

  put(event: number, template: Template): void {
    this.#recent.delete(event)
    this.#recent.set(event, template, sizeOf(template))
    this.#scratch.put(event, template.revision, headOf(template), template.body)
  }

  close(): void {
    this.#scratch.close()
  }
}

function sizeOf({ body }: Template): number {
  return body.length + OVERHEAD
}
