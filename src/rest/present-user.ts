import { toWallClock } from '../calendar/zone.ts'
import type { Account } from '../domain/accounts.ts'
import type { OwnAccount, Token } from '../domain/own-account.ts'
import { encode } from '../lib/html.ts'

/** Users and tokens as they appear on the wire: never a hash. */

export function account({ id, name, email, role, isDisabled, hasPassword }: Account): Record<string, unknown> {
  return { id, name: encode(name), email, role, disabled: isDisabled, has_password: hasPassword }
}

export function ownAccount({ id, name, email, role }: OwnAccount): Record<string, unknown> {
  return { id, name: encode(name), email, role }
}

export function token({ id, name, created_utc, expires_utc, used_utc }: Token): Record<string, unknown> {
  const time = (instant: number | null) => (instant === null ? null : toWallClock(instant, 'UTC'))
  return {
    id,
    token_name: encode(name),
    created_utc: time(created_utc),
    expires_utc: time(expires_utc),
    used_utc: time(used_utc),
  }
}
