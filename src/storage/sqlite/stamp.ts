/**
 * Every commit writes a new stamp into the database header (`PRAGMA user_version`, 32 bits), which shows whether a
 * database file and a WAL belong together: see foreign-log.ts. The lower half of a stamp is random, the upper half is
 * the lower half of the previous stamp.
 */

const HALF = 16
const MASK = 0xffff

/** Returns a stamp that follows another. */
export function nextStamp(stamp: number): number {
  return ((stamp & MASK) << HALF) | Math.floor(Math.random() * (MASK + 1))
}

/** Whether a stamp belongs to the commit directly after another. */
export function follows(stamp: number, before: number): boolean {
  return stamp >>> HALF === (before & MASK)
}
