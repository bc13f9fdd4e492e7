import type { Zone } from '../calendar/zone.ts'
import type { Clock } from '../lib/clock.ts'
import type { PasswordChecker } from '../lib/passwords.ts'
import type { FetchLimits } from '../lib/safe-fetch.ts'
import type { Database } from '../storage/database.ts'
import type { FileStore } from '../storage/files.ts'
import type { User } from './access.ts'
import type { OnDamage } from './damage.ts'
import type { Guesses, Sender } from './guesses.ts'
import type { Listings } from './listings.ts'
import type { Quotas } from './quotas.ts'
import type { SignIns } from './sign-ins.ts'

export type { User } from './access.ts'

/** What the service knows of itself. */
export interface Site {
  /** The zone of times that name none. */
  readonly timezone: Zone
  /** Shown before a bare number in a cost. */
  readonly currency: string
  /** The public address, without a slash at its end. */
  readonly home: string
  readonly name: string
  /** Whether that name was given to it, and is not that of the program. */
  readonly isNamed: boolean
  /** Those that addresses may name; the first is for readers of any other. */
  readonly languages: readonly string[]
  readonly design: Design
}

/** How an organisation makes the pages its own; what is empty is not set. */
export interface Design {
  /** An address, or the path of a file. */
  readonly logo: string
  /** `#rrggbb`. */
  readonly accent: string
  /** The path of a file. */
  readonly stylesheet: string
  /** An address with `{z}`, `{x}` and `{y}` in it. */
  readonly tiles: string
}

/** What every domain function is given: where to work, and for whom. */
export interface Scope {
  readonly db: Database
  readonly clock: Clock
  readonly site: Site
  readonly passwords: PasswordChecker
  /** Bounds how many wrong passwords are checked. */
  readonly guesses: Guesses
  readonly signIns: SignIns
  readonly quotas: Quotas
  readonly files: FileStore
  readonly fetchLimits: FetchLimits
  /** Null for an anonymous visitor. */
  readonly user: User | null
  /** Told of rows that are left out since they cannot be shown. */
  readonly onDamage?: OnDamage
  /** From where a request comes; none on the command line. */
  readonly sender?: Sender
  /** What is remembered of lists at the version of the data that a reader asked at; none while something is changed. */
  readonly memory?: { readonly version: string; readonly listings: Listings }
}

/** What a request says, read only when its right to say it is settled; throws for a body that is not well-formed. */
export type Payload = () => Record<string, unknown>

/** Looks at a record before it is changed, in the transaction that changes it, and throws if it must not be. */
export type Check<Shown> = ((shown: Shown) => void) | null
