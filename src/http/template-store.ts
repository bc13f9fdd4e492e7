import { pack, type Template, unpack } from './event-template.ts'

/** How much is held in memory, in bytes. */
const MOST_BYTES = 40 * 2 ** 20
/** What a template takes beside its bytes. */
const OVERHEAD = 1200

/** Where there is room for more than should be in memory: see storage/scratch.ts. */
export interface Scratch {
  get(key: number): [revision: number, head: string, body: Uint8Array] | undefined
  put(key: number, revision: number, head: string, body: Uint8Array): void
  close(): void
}

/** Templates of events: those asked for last in memory, all others beside it. Nothing in it is older than the process. */
export class TemplateStore {
  readonly #scratch: Scratch
  readonly #recent = new Map<number, Template>()
  #bytes = 0

  constructor(scratch: Scratch) {
    this.#scratch = scratch
  }

  get(event: number, revision: number): Template | undefined {
    const recent = this.#recent.get(event)
    if (recent !== undefined) return recent.revision === revision ? recent : undefined
    const row = this.#scratch.get(event)
    if (row === undefined || row[0] !== revision) return undefined
    const template = unpack(...row)
    this.#remember(event, template)
    return template
  }

  put(event: number, template: Template): void {
    this.#forget(event)
    this.#remember(event, template)
    const { head, body } = pack(template)
    this.#scratch.put(event, template.revision, head, body)
  }

  close(): void {
    this.#scratch.close()
  }

  #remember(event: number, template: Template): void {
    this.#recent.set(event, template)
    this.#bytes += sizeOf(template)
    for (const [oldest] of this.#recent) {
      if (this.#bytes <= MOST_BYTES) break
      this.#forget(oldest)
    }
  }

  #forget(event: number): void {
    const template = this.#recent.get(event)
    if (template !== undefined && this.#recent.delete(event)) this.#bytes -= sizeOf(template)
  }
}

function sizeOf({ pieces }: Template): number {
  return pieces.reduce((sum, piece) => sum + piece.length, OVERHEAD)
}
