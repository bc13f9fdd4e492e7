import { randomBytes } from 'node:crypto'
import { unavailable } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/image-files.ts'
import { discard, HELD, keyOf } from './image-files.ts'
import type { Scope } from './scope.ts'

/**
 * Files that wait for a decision, such as the picture of a suggestion. No address leads to them. They share the list of
 * unused files with images, so that a file without a row is removed, whatever was interrupted.
 */

type Store = Pick<Scope, 'db' | 'files' | 'clock'>

/** Stores a file under a random name. It is removed by the sweep unless a row comes to name it: see `claim`. */
export async function hold(store: Store, bytes: Buffer, mime: string): Promise<string> {
  const name = `${HELD}${randomBytes(32).toString('hex')}`
  await store.db.writeWithoutInvalidating((tx) => storage.addPending(tx, [name], store.clock()))
  try {
    await store.files.put(keyOf(name), bytes, mime)
  } catch (error) {
    await drop(store, name)
    throw error
  }
  return name
}

/** Called in the transaction that writes the row with its name. */
export async function claim(tx: Tx, name: string): Promise<void> {
  // The sweep was faster: only if the request took a quarter of an hour.
  if (!(await storage.claim(tx, [name]))) throw unavailable()
}

/** Called in the transaction that removes its name from a row. `drop` or the sweep then removes the file. */
export async function release(tx: Tx, name: string, now: number): Promise<void> {
  await storage.addObsolete(tx, [name], now)
}

/** Removes a file that no row names. If that fails, the sweep does it. */
export async function drop(store: Store, name: string): Promise<void> {
  await discard(store, [name]).catch(() => {})
}

export function read({ files }: Pick<Scope, 'files'>, name: string): Promise<Buffer | null> {
  return files.get(keyOf(name))
}
