import { isDeepStrictEqual } from 'node:util'
import { type Fields, keepAhead } from '../schema/field.ts'

/** The fields of an update that count as sent. */
export interface Changed {
  readonly fields: Record<string, unknown>
  /** Whether the writer has sent back what was shown, and nothing else. */
  readonly isNothing: boolean
  /** Whether nothing but one field has changed. */
  isOnly(name: string): boolean
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
  if (shown === undefined) return changedIn(declared, sent, false)
  const isShown = (name: string) => Object.hasOwn(shown, name) && isDeepStrictEqual(sent[name], shown[name])
  const fields = Object.fromEntries(Object.entries(sent).filter(([name]) => !isShown(name)))
  keepAhead(sent, fields)
  return changedIn(declared, fields, true)
}

function changedIn(declared: Fields, fields: Record<string, unknown>, isCompared: boolean): Changed {
  const names = Object.keys(fields).filter((name) => Object.hasOwn(declared, name))
  return {
    fields,
    isNothing: isCompared && names.length === 0,
    isOnly: (name) => names.length === 1 && names[0] === name,
  }
}
