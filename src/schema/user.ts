import { declare, Refused, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import * as types from './value-types.ts'

/** Roles, from the least rights to the most. */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** Prefix of every token, to tell it from a password, and for secret scanners. */
export const TOKEN_PREFIX = 'kal_'

/** Limits on a password, in UTF-16 units. */
export const MIN_PASSWORD = 8
const MAX_PASSWORD = 1000

const MAX_TOKEN_NAME = 100

/** A name begins with a letter or digit. A colon would end it in Basic credentials. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,59}$/u

export function isUserName(text: string): boolean {
  return NAME.test(text)
}

const userName: ValueType<string> = {
  type: 'string',
  schema: Type.String({ minLength: 1, maxLength: 60 }),
  read(raw, reading) {
    const text = types.exact.read(raw, reading).trim()
    if (!isUserName(text)) throw new Refused('not_a_user_name')
    return text
  },
}

/** Why a text cannot be a password; null if it can. */
export function passwordProblem(text: string): 'password_too_short' | 'password_like_token' | null {
  if (text.length < MIN_PASSWORD) return 'password_too_short'
  return text.startsWith(TOKEN_PREFIX) ? 'password_like_token' : null
}

const newPassword: ValueType<string> = {
  type: 'string',
  schema: Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD }),
  read(raw, reading) {
    const text = types.exact.read(raw, reading)
    const problem = passwordProblem(text)
    if (problem !== null) throw new Refused(problem, { least: MIN_PASSWORD, prefix: TOKEN_PREFIX })
    if (text.length > MAX_PASSWORD) throw new Refused('too_long', { longest: MAX_PASSWORD })
    return text
  },
}

/** Units of a lifetime, in seconds. */
const UNITS: Record<string, number> = { h: 3600, d: 86_400, w: 7 * 86_400 }
/** Longest lifetime, in seconds: a hundred years. */
const MAX_LIFETIME = 36_525 * 86_400

/** Parses a lifetime, such as `12h`, `90d` or `8w`, to seconds; null if it is none. */
export function readLifetime(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,6}) ?(h|d|w|hours?|days?|weeks?)$/i.exec(text.trim()) ?? []
  const seconds = Number(count) * (UNITS[unit.charAt(0).toLowerCase()] ?? 0)
  return seconds > 0 && seconds <= MAX_LIFETIME ? seconds : null
}

const lifetime: ValueType<number> = {
  type: 'string',
  schema: Type.String({ pattern: '^\\d{1,6} ?([hdw]|hours?|days?|weeks?)$' }),
  read(raw, reading) {
    const seconds = readLifetime(types.exact.read(raw, reading))
    if (seconds === null) throw new Refused('not_a_lifetime')
    return seconds
  },
}

const tokenName: ValueType<string> = {
  type: 'string',
  schema: Type.String({ maxLength: MAX_TOKEN_NAME }),
  read(raw, reading) {
    const text = types.exact.read(raw, reading).trim()
    if (text.length > MAX_TOKEN_NAME) throw new Refused('too_long', { longest: MAX_TOKEN_NAME })
    return text
  },
}

/** Fields of users, as administrators invite and change them. */
export const userFields = declare('user', {
  name: { kind: userName, required: true, sample: 'mara' },
  email: { kind: types.email, required: true, sample: 'mara@example.org' },
  role: { kind: types.oneOf(...ROLES), required: true, sample: 'editor' },
})

/** Fields by which a user is changed. */
export const userChanges = { ...userFields, ...declare('user', { disabled: { kind: types.flag } }) }

/** Who becomes the author of the records of a removed user. */
export const userRemoval = declare('user', { reassign: { kind: types.id } })

/** Fields of one's own account. */
export function accountFields(languages: readonly string[]) {
  const { name, email } = userFields
  return { name, email, ...declare('user', { language: { kind: types.oneOf(...languages) } }) }
}

export const passwordFields = declare('user', {
  current_password: { kind: types.exact, required: true },
  password: { kind: newPassword, required: true },
})

/** The password that somebody who was invited chooses. */
export const invitedFields = { password: passwordFields.password }

export const tokenFields = declare('token', {
  token_name: { kind: tokenName, default: '', sample: 'Website' },
  expires: { kind: lifetime, sample: '90d' },
})
