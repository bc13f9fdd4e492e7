import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { chmod, lstat, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Only the owner may read: the files contain password hashes and drafts. */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** Name of the database in the data folder. */
export const DATABASE_FILE = 'kalends.sqlite'

const STICKY = 0o1000
const PERMISSIONS = 0o777

/** Creates a database file and folder that only the owner can read, or restricts existing ones. */
export function makeDatabasePrivate(file: string): void {
  makeFolderPrivate(dirname(file))
  // Created before SQLite creates it with another mode; its WAL files get the mode of this one. An existing file is not
  // opened: closing it would release all fcntl locks of this process on it, SQLite's included.
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE_MODE))
  for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(`${file}${suffix}`, FILE_MODE)
}

/** Creates a folder that only its owner can read, or restricts an existing one. */
export function makeFolderPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  if (!isShared(folder)) restrict(folder, FOLDER_MODE)
}

/** Restricts the folder of images and all files in it, one after the other, without blocking the event loop. */
export async function makeImagesPrivate(folder: string): Promise<void> {
  if (!isShared(folder)) restrict(folder, FOLDER_MODE)
  await restrictAll(join(folder, 'images'))
}

async function restrictAll(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    const wanted = found.isDirectory() ? FOLDER_MODE : FILE_MODE
    // The target of a symbolic link may belong to others.
    if (!found.isDirectory() && !found.isFile()) return
    if ((found.mode & PERMISSIONS) !== wanted) await chmod(path, wanted)
    if (found.isDirectory()) for await (const { name } of await opendir(path)) await restrictAll(join(path, name))
  } catch (error) {
    if (!isHarmless(error)) throw error
  }
}

/** A shared folder, such as /tmp, must not be restricted. */
function isShared(folder: string): boolean {
  try {
    return (statSync(folder).mode & STICKY) !== 0 || dirname(folder) === folder
  } catch {
    return true
  }
}

function restrict(path: string, mode: number): void {
  try {
    if ((statSync(path).mode & PERMISSIONS) !== mode) chmodSync(path, mode)
  } catch (error) {
    if (!isHarmless(error)) throw error
  }
}

/** The file is gone, or its owner does not allow the change. */
function isHarmless(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}
