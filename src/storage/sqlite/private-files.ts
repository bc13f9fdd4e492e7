import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { chmod, lstat, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What only their owner may read: passwords' hashes and drafts are in there. */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

const STICKY = 0o1000
const PERMISSIONS = 0o777

/** Makes a database file that only its owner may read, in such a folder; what is there already becomes so. */
export function makeDatabasePrivate(file: string): void {
  makeFolderPrivate(dirname(file))
  // Made before SQLite makes it with any other mode; the files of its log get the mode of this one. A file that exists is
  // not opened: closing it would end all locks that this process has on it (fcntl), and with them those of SQLite.
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE_MODE))
  for (const suffix of ['', '-wal', '-shm', '-journal']) restrict(`${file}${suffix}`, FILE_MODE)
}

/** Makes a folder that only its owner may read; one that is there already becomes so. */
export function makeFolderPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  if (!isShared(folder)) restrict(folder, FOLDER_MODE)
}

/** Makes a folder with images, if it is there, its owner's alone, with all files in it: one after the other, so that others are not held up. */
export async function makeImagesPrivate(folder: string): Promise<void> {
  if (!isShared(folder)) restrict(folder, FOLDER_MODE)
  await restrictAll(join(folder, 'images'))
}

async function restrictAll(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    const wanted = found.isDirectory() ? FOLDER_MODE : FILE_MODE
    // What a link leads to may be somebody else's.
    if (!found.isDirectory() && !found.isFile()) return
    if ((found.mode & PERMISSIONS) !== wanted) await chmod(path, wanted)
    if (found.isDirectory()) for await (const { name } of await opendir(path)) await restrictAll(join(path, name))
  } catch (error) {
    if (!isHarmless(error)) throw error
  }
}

/** A folder that everybody may write to, such as /tmp, is not for one program to close. */
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

/** It is not there (any more), or belongs to somebody who has decided otherwise. */
function isHarmless(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EROFS', 'ENOTSUP'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )
}
