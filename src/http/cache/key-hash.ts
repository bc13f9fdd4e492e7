import { randomInt } from 'node:crypto'

/** Random per process, so that clients cannot provoke collisions. */
const SEED = randomInt(2 ** 32)

/**
 * Hash of a key that is made for each request, by FNV-1a. To look such a text up in a map is slow: V8 first looks for it
 * among all texts that it knows, and keeps a copy among its old objects.
 */
export function hashOf(key: string): number {
  let hash = SEED
  for (let n = 0; n < key.length; n++) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193)
  return hash | 0
}
