import { AppError, type Problem } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { type Picture, PictureRefused, readPicture } from '../lib/picture.ts'
import type { Upload } from '../lib/upload.ts'
import type { Tx } from '../storage/dialect.ts'
import * as fileStorage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import * as storage from '../storage/images.ts'
import { areComplete, discard, filesOf, namesOf, putFiles } from './image-files.ts'
import type { Scope } from './scope.ts'

/** An image whose files exist: a new one, or an existing one with the same bytes. */
export type Prepared = Omit<ImageRow, 'id'> & {
  /** The existing image with the same bytes whose files are incomplete. */
  readonly repairs?: number
}

/**
 * Renders a picture and stores its files, unless an image with the same bytes exists. The caller's transaction creates
 * the row. With `anew`, files are stored in any case, so that a concurrent removal cannot interfere.
 */
export async function prepare(scope: Scope, { bytes, name }: Upload, anew: boolean): Promise<Prepared | Problem> {
  let picture: Picture
  try {
    picture = await readPicture(bytes)
  } catch (error) {
    if (error instanceof PictureRefused) return { problem: error.problem }
    throw error
  }
  const { hash, extension, mime, full } = picture
  await scope.quotas.countUpload(scope.db, scope.user, { hash, bytes: full.bytes.length })
  const known = await scope.db.read((tx) => storage.find(tx, hash))
  const isWhole = known !== undefined && (await areComplete(scope, filesOf(known)))
  if (isWhole && !anew) return known
  const { base, sizes } = await putFiles(scope, picture)
  return {
    ...(known !== undefined && !isWhole && { repairs: known.id }),
    author: scope.user?.id ?? 0,
    hash,
    file_base: base,
    extension,
    mime,
    width: full.width,
    height: full.height,
    filesize: full.bytes.length,
    sizes: JSON.stringify(sizes),
    date_utc: scope.clock(),
    alt: '',
    name,
    search: fold(name),
  }
}

/** A concurrent removal deleted the files: they have to be stored again. */
class FilesRemoved extends AppError {
  constructor() {
    super('rest_unavailable', { headers: { 'retry-after': '1' } })
  }
}

/** Attempts to store a picture whose files were removed concurrently. After the first, only a sweep can remove them. */
const ATTEMPTS = 3

/** Retries if files were removed concurrently, then with files of its own. */
export async function retryIfFilesGone<T>(attempt: (anew: boolean) => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt(n > 1)
    } catch (error) {
      if (!(error instanceof FilesRemoved) || n === ATTEMPTS) throw error
    }
  }
}

/** Finds or creates the image with these bytes. */
export async function findOrCreate(tx: Tx, { repairs: mends, ...image }: Prepared): Promise<ImageRow> {
  const found = await storage.find(tx, image.hash)
  const known = found && (await storage.lock(tx, found.id, 'show'))
  if (known !== undefined && (known.id !== mends || known.file_base === image.file_base)) return known
  if (!(await fileStorage.claim(tx, namesOf(image)))) throw new FilesRemoved()
  if (known === undefined) return storage.create(tx, image)
  const { file_base, sizes, filesize } = image
  await storage.setFiles(tx, known.id, { file_base, sizes, filesize })
  await fileStorage.addObsolete(tx, namesOf(known), image.date_utc)
  return { ...known, file_base, sizes, filesize }
}

/** Removes files without an image row. If that fails, the next sweep does it. */
export async function discardUnused(scope: Scope, prepared: readonly (Prepared | Problem)[]): Promise<void> {
  const files = prepared.flatMap((image) => ('problem' in image || 'id' in image ? [] : namesOf(image)))
  await discard(scope, files).catch(() => {})
}
