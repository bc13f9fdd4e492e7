import { withLf } from '../lib/line-ends.ts'
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
  const isShown = (name: string) => Object.hasOwn(shown, name) && isSame(sent[name], shown[name])
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

/** Whether a value is sent as it was shown. A form has neither types nor empty lists, and its own line ends. */
function isSame(sent: unknown, shown: unknown): boolean {
  if (sent === shown) return true
  if (isNothing(shown)) return isNothing(sent)
  if (typeof sent === 'string') return typeof shown !== 'object' && withLf(sent) === withLf(String(shown))
  if (!isObject(sent) || !isObject(shown) || Array.isArray(sent) !== Array.isArray(shown)) return false
  const names = new Set([...Object.keys(sent), ...Object.keys(shown)])
  return [...names].every((name) => isSame(sent[name], shown[name]))
}

/** What clears a field, and is in no form. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (isObject(value) && Object.keys(value).length === 0)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
