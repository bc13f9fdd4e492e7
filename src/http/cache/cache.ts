import { Listings } from '../../domain/listings.ts'
import type { Site } from '../../domain/scope.ts'
import type { Clock } from '../../lib/clock.ts'
import { Turns } from '../../lib/turns.ts'
import { EventShelf } from '../../rest/rendered/rendered-events.ts'
import { type Scratch, TemplateStore } from '../../rest/rendered/template-store.ts'
import type { Addresses } from '../addresses.ts'
import { Spellings } from './normal-address.ts'
import { AnswerCache } from './response-cache.ts'

/** What it takes to remember. */
export interface Remembering {
  readonly clock: Clock
  readonly site: Site
  /** Opens room for what does not fit in memory, of so many bytes. */
  openScratch(most: number): Scratch
  /** How much room there is in all. */
  readonly scratchBytes: number
}

/** Everything that is remembered, so that it is not made again: answers, what lists come to, and events. */
export class Memory {
  readonly answers: AnswerCache
  readonly listings = new Listings()
  readonly spellings = new Spellings()
  /** For what is not remembered. */
  readonly turns = new Turns()
  readonly #site: Site
  readonly #rendered: Scratch
  readonly #shelves = new Map<string, EventShelf>()

  constructor({ clock, site, openScratch, scratchBytes }: Remembering) {
    this.answers = new AnswerCache(clock, openScratch(scratchBytes / 2))
    this.#rendered = openScratch(scratchBytes / 2)
    this.#site = site
  }

  /** The shelf of events that are shown with these addresses: there are as many as languages. */
  shelf(addresses: Addresses): EventShelf {
    const known = this.#shelves.get(addresses.rest)
    if (known !== undefined) return known
    const templates = new TemplateStore(this.#rendered, this.#shelves.size)
    const shelf = new EventShelf(addresses, this.#site, templates)
    this.#shelves.set(addresses.rest, shelf)
    return shelf
  }

  close(): void {
    this.answers.close()
    this.#rendered.close()
  }
}
