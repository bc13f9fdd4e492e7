import type { Clock } from '../../lib/clock.ts'
import { FairQueue } from '../../lib/time-slices.ts'
import { AddressAliases } from './normal-address.ts'
import { ResponseCache } from './response-cache.ts'
import { MOST_BYTES, ScratchFile } from './scratch-file.ts'

/** The cache of responses, with what is needed to find them; one for each process. See docs/cache.md. */
export class Cache {
  readonly isOn: boolean
  readonly responses: ResponseCache
  readonly aliases = new AddressAliases()
  /** Requests that are not cached wait here for their turn. */
  readonly queue = new FairQueue()

  constructor(clock: Clock, isOn: boolean) {
    this.isOn = isOn
    this.responses = new ResponseCache(clock, isOn ? new ScratchFile(MOST_BYTES / 2) : null)
  }

  close(): void {
    this.responses.close()
  }
}
