import type { Event } from '../../domain/events.ts'
import { type Conflict, conflictsBetween } from '../conflict.ts'
import type { StaffContext } from '../screen.ts'
import { comparable, valuesOf } from './event-values.ts'

/** Compares what was typed with what is stored now. `opened` is the fingerprint of the values that the form began with. */
export function conflictsOf(
  context: StaffContext,
  event: Event,
  typed: Readonly<Record<string, string>>,
  opened: string,
): readonly Conflict[] {
  const stored = valuesOf(context, event)
  return conflictsBetween(comparable(stored), comparable({ ...stored, ...typed }), opened)
}
