import type { Scope } from '../../domain/scope.ts'
import { FairQueue } from '../../lib/time-slices.ts'
import { AddressAliases } from './normal-address.ts'
import { ResponseCache } from './response-cache.ts'
import { MAX_BYTES, ScratchFile } from './scratch-file.ts'

/** Response cache of one process, with its address aliases and the queue of uncached requests. See docs/cache.md. */
export class Cache {
  readonly isOn: boolean
  readonly responses: ResponseCache
  readonly aliases = new AddressAliases()
  /** Fair queue for requests that miss the cache. */
  readonly queue = new FairQueue()

  constructor({ clock, db }: Pick<Scope, 'clock' | 'db'>, isOn: boolean) {
    this.isOn = isOn
    this.responses = new ResponseCache(clock, isOn ? new ScratchFile(MAX_BYTES) : null, db)
  }

  close(): void {
    this.responses.close()
  }
}
