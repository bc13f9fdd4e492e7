import { AppError } from '../lib/errors.ts'
import type { LinkedKind } from '../schema/linked.ts'
import type { Payload } from './scope.ts'

/** Limit on nested venues, and organizers; an event with more is refused. */
const MAX_NESTED = 50

/** Fields of a payload before authorization; none if it is malformed, which is reported later. */
export function earlyFields(payload: Payload): Record<string, unknown> {
  try {
    return payload()
  } catch (error) {
    if (error instanceof AppError) return {}
    throw error
  }
}

/** The records of a kind that are nested in the fields of an event. */
export function nestedRecords(fields: Record<string, unknown>, kind: LinkedKind): Record<string, unknown>[] {
  const given = fields[kind]
  return (Array.isArray(given) ? given.slice(0, MAX_NESTED) : [given]).filter(
    (data) => typeof data === 'object' && data !== null,
  )
}
