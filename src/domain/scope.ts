import type { Zone } from '../calendar/zone.ts'
import type { Clock } from '../lib/clock.ts'
import type { Mailer } from '../lib/mailer.ts'
import type { PasswordChecker } from '../lib/passwords.ts'
import type { FetchLimits } from '../lib/safe-fetch.ts'
import type { DateFieldOrder, SettingField } from '../schema/settings.ts'
import type { Database } from '../storage/database.ts'
import type { FileStore } from '../storage/files.ts'
import type { User } from './access.ts'
import type { OnDamage } from './damage.ts'
import type { KeptChoices } from './kept-choices.ts'
import type { KeptPlaces } from './kept-places.ts'
import type { LogoFile } from './logo.ts'
import type { PasswordAttempts, Sender } from './password-attempts.ts'
import type { Quotas } from './quotas.ts'
import type { SignIns } from './sign-ins.ts'

export type { User } from './access.ts'

/** Settings of the site. */
export interface Site {
  /** Default time zone. */
  readonly timezone: Zone
  /** Symbol for costs without a currency. */
  readonly currency: string
  /** Public address, without a trailing slash. */
  readonly home: string
  readonly name: string
  /** Whether a name was configured; otherwise it is the name of the program. */
  readonly isNamed: boolean
  /** Languages that addresses may contain. The first is the default. */
  readonly languages: readonly string[]
  /** Limit on `per_page`. */
  readonly maxPerPage: number
  /** Path of the WordPress interfaces, such as `/wp-json`, if a mount of the REST interface lies below one. */
  readonly wordpressRoot: string | null
  /** Names of categories and tags for families. */
  readonly familyTerms: readonly string[]
  /** Hours of the clock; null if the language decides. */
  readonly clock: 12 | 24 | null
  /** First day of the week, 1 for Monday; null if the language decides. */
  readonly weekStart: number | null
  /** How many years ahead the occurrences of series exist. */
  readonly seriesYears: number
  /** Whether the calendar was set up, or nobody wants to. */
  readonly isSetUp: boolean
  /** Settings that a variable or flag of the process decides, each with the name of that. */
  readonly fixed: Readonly<Partial<Record<SettingField, string>>>
  readonly design: Design
  /** Whether anybody may suggest events. */
  readonly suggest: boolean
  /** Order of day and month in tables that do not show it. */
  readonly dateOrder: DateFieldOrder
}

/** Branding of the pages. Empty values are not set. */
export interface Design {
  /** URL, or path of a file. */
  readonly logo: string
  /** Set if the logo was uploaded. */
  readonly logoFile: LogoFile | null
  /** `#rrggbb`. */
  readonly accent: string
  /** Path of a file. */
  readonly stylesheet: string
  /** URL with `{z}`, `{x}` and `{y}`. */
  readonly tiles: string
}

/** Context of every domain function: dependencies, and the user. */
export interface Scope {
  readonly db: Database
  readonly clock: Clock
  readonly site: Site
  readonly passwords: PasswordChecker
  /** Limits wrong passwords. */
  readonly attempts: PasswordAttempts
  readonly signIns: SignIns
  readonly quotas: Quotas
  /** What the filters of pages offer. */
  readonly choices: KeptChoices
  /** Venues and categories of calendars. */
  readonly places: KeptPlaces
  readonly files: FileStore
  readonly fetchLimits: FetchLimits
  /** Null without a mail server. */
  readonly mail: Mailer | null
  /** Null if anonymous. */
  readonly user: User | null
  /** Called for damaged rows that are left out. */
  readonly onDamage?: OnDamage
  /** Sender of the request; none on the command line. */
  readonly sender?: Sender
}

/** Fields of a request, parsed only after authorization. Throws if the body is malformed. */
export type Payload = () => Record<string, unknown>

/**
 * Checks a record before a change, in the same transaction, and throws to prevent it. It may return the fields as the
 * writer was shown them: those that are sent back count as not sent.
 */
export type Check<Shown> = ((shown: Shown) => Record<string, unknown> | undefined) | null
