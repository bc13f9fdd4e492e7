import { isDeepStrictEqual } from 'node:util'
import { type Fields, keepAhead } from '../schema/field.ts'

/** The fields of an update that count as sent. */
export interface Changed {
  readonly fields: Record<string, unknown>
  /** Whether the writer has sent back what was shown, and nothing else. */
  readonly isNothing: boolean
}

/**
 * Leaves out the fields that equal those that the writer was shown. Responses show some values in another form than they
 * are stored in, so that storing them again would change the record.
 */
export function changedFields(
  declared: Fields,
  sent: Record<string, unknown>,
  shown: Record<string, unknown> | undefined,
): Changed {
  if (shown === undefined) return { fields: sent, isNothing: false }
  const isShown = (name: string) => Object.hasOwn(shown, name) && isDeepStrictEqual(sent[name], shown[name])
  const fields = Object.fromEntries(Object.entries(sent).filter(([name]) => !isShown(name)))
  keepAhead(sent, fields)
  return { fields, isNothing: Object.keys(fields).every((name) => !Object.hasOwn(declared, name)) }
}
