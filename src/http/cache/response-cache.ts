import { randomInt } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { Generations } from '../../lib/generations.ts'
import type { Scratch } from '../../rest/rendered/template-store.ts'
import type { Kept, Keyed } from './cached-response.ts'
import { Spill } from './disk-overflow.ts'

/** How much memory kept answers may take, in bytes; their encodings, where they are asked for, take a quarter more. */
const MOST_BYTES = 24 * 2 ** 20
/** What an entry takes beside its bodies and its key: its headers. */
const OVERHEAD = 3000

/**
 * Answers that were given before, by whom and what was asked for. They are of one version of the data: another version
 * makes all of them worthless, so that nothing is ever answered that is no longer true.
 */
export class AnswerCache {
  readonly #clock: Clock
  #version: string = ''
  /** By the numbers of their keys, which are found faster; of two keys with the same one, one answer alone is kept. */
  readonly #kept: Generations<number, Keyed>
  readonly #spill: Spill
  #making = new Map<string, Promise<Kept | null>>()

  constructor(clock: Clock, scratch: Scratch) {
    this.#clock = clock
    this.#spill = new Spill(scratch)
    this.#kept = new Generations(MOST_BYTES, (dropped) => this.#spill.put(dropped))
  }

  get(key: string, version: string): Kept | undefined {
    this.#move(version)
    const number = numberOf(key)
    const held = this.#kept.get(number, sizeOf)
    const kept = held?.key === key ? held.kept : this.#readBack(number, key)
    if (kept === undefined || kept.until > this.#clock()) return kept
    this.#kept.delete(number)
    this.#spill.delete(number)
    return undefined
  }

  /** What `make` makes, once for all who ask while it does; it answers null for what is not for others. */
  async make(key: string, version: string, make: () => Promise<Kept | null>): Promise<Kept | null> {
    this.#move(version)
    const making = this.#making
    const other = making.get(key)
    if (other !== undefined) return other
    const own = make()
    making.set(key, own)
    try {
      const kept = await own
      if (kept !== null && kept.until > this.#clock() && this.#version === version)
        this.#keep(numberOf(key), { key, kept })
      return kept
    } finally {
      making.delete(key)
    }
  }

  close(): void {
    this.#spill.close()
  }

  #readBack(number: number, key: string): Kept | undefined {
    const back = this.#spill.get(number, key)
    if (back?.often) this.#keep(number, { key, kept: back.kept })
    return back?.kept
  }

  #keep(number: number, keyed: Keyed): void {
    this.#kept.set(number, keyed, sizeOf(keyed))
  }

  #move(version: string): void {
    if (version === this.#version) return
    this.#version = version
    this.#kept.clear()
    this.#spill.forget()
    this.#making = new Map()
  }
}

/** With its address, which may be far longer than what it answers. */
function sizeOf({ key, kept: { body } }: Keyed): number {
  return body.length + 2 * key.length + OVERHEAD
}

/** Another one in every process: nobody can tell which addresses have the same number. */
const SEED = randomInt(2 ** 32)

/** A key as a number, which is nearly always its own (FNV-1a). */
export function numberOf(key: string): number {
  let number = SEED
  for (let n = 0; n < key.length; n++) number = Math.imul(number ^ key.charCodeAt(n), 0x01000193)
  return number | 0
}
