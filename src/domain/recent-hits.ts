import { BoundedCache } from '../lib/bounded-cache.ts'
import type { RenderedStub } from '../storage/event-templates.ts'

/** Memory for them, in bytes. */
const MAX_BYTES = 8 * 2 ** 20
/** Size of one besides its text, in bytes. */
const OVERHEAD = 300

/**
 * Events that frequent words have found, as they are at one version of the data. Searches for such words begin with some
 * of the same few events: the next ones in the list.
 */
export class RecentHits {
  readonly #events = new BoundedCache<number, RenderedStub>(MAX_BYTES)
  #version = ''

  get(version: string, id: number): RenderedStub | undefined {
    return version === this.#version ? this.#events.get(id, sizeOf) : undefined
  }

  put(version: string, events: readonly RenderedStub[]): void {
    if (version !== this.#version) this.#events.clear()
    this.#version = version
    for (const event of events) this.#events.set(event.id, event, sizeOf(event))
  }
}

function sizeOf({ text }: RenderedStub): number {
  return OVERHEAD + 2 * (text?.length ?? 0)
}
