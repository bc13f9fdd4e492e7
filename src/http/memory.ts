import { Listings } from '../domain/listings.ts'
import type { Site } from '../domain/scope.ts'
import type { Clock } from '../lib/clock.ts'
import { Turns } from '../lib/turns.ts'
import type { Addresses } from './addresses.ts'
import { AnswerCache } from './answer-cache.ts'
import { EventShelf } from './event-shelf.ts'
import { Spellings } from './normal-address.ts'
import type { Scratch } from './template-store.ts'

/** What it takes to remember. */
export interface Remembering {
  readonly clock: Clock
  readonly site: Site
  /** Opens room for what is too much for memory. */
  openScratch(): Scratch
}

/** Everything that is remembered, so that it is not made again: answers, what lists come to, and events. */
export class Memory {
  readonly answers: AnswerCache
  readonly listings = new Listings()
  readonly spellings = new Spellings()
  /** For what is not remembered. */
  readonly turns = new Turns()
  readonly #site: Site
  readonly #openScratch: () => Scratch
  readonly #shelves = new Map<string, EventShelf>()

  constructor({ clock, site, openScratch }: Remembering) {
    this.#openScratch = openScratch
    this.answers = new AnswerCache(clock, openScratch())
    this.#site = site
  }

  /** The shelf of events that are shown with these addresses: there are as many as languages. */
  shelf(addresses: Addresses): EventShelf {
    const shelf = this.#shelves.get(addresses.rest) ?? new EventShelf(addresses, this.#site, this.#openScratch())
    this.#shelves.set(addresses.rest, shelf)
    return shelf
  }

  close(): void {
    this.answers.close()
    for (const shelf of this.#shelves.values()) shelf.close()
  }
}
