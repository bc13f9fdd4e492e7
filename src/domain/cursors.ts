import type { Cursor } from '../schema/cursor.ts'

/** Type of one part of a sort key. */
export type KeyType = 'text' | 'whole' | 'real'

const CHECKS: Record<KeyType, (part: string | number | undefined) => boolean> = {
  text: (part) => typeof part === 'string',
  whole: (part) => Number.isSafeInteger(part),
  real: (part) => typeof part === 'number',
}

/** Whether a cursor belongs to a list in this order. */
export function isCursorOf({ order, key }: Cursor, name: string, types: readonly KeyType[]): boolean {
  return order === name && key.length === types.length && types.every((type, n) => CHECKS[type](key[n]))
}
