import { AppError, type Problem } from '../lib/errors.ts'
import { type Picture, PictureRefused, readPicture } from '../lib/picture.ts'
import type { Tx } from '../storage/dialect.ts'
import * as fileStorage from '../storage/image-files.ts'
import type { ImageRow } from '../storage/images.ts'
import * as storage from '../storage/images.ts'
import { areWhole, discard, filesOf, namesOf, putFiles } from './image-files.ts'
import type { Scope } from './scope.ts'

/** An image whose files are there: a new one, or the one that had these bytes before. */
export type Prepared = Omit<ImageRow, 'id'> & {
  /** The image that had these bytes before, and whose files are not whole. */
  readonly mends?: number
}

/**
 * Renders a picture and keeps its files, unless an image has them that will do; the row that names them is made by whoever
 * has the transaction. With `anew` they are kept in any case, so that no one else's removal can get in the way.
 */
export async function prepare(scope: Scope, bytes: Buffer, anew: boolean): Promise<Prepared | Problem> {
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
  const isWhole = known !== undefined && (await areWhole(scope, filesOf(known)))
  if (isWhole && !anew) return known
  const { base, sizes } = await putFiles(scope, picture)
  return {
    ...(known !== undefined && !isWhole && { mends: known.id }),
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
  }
}

/** The files of an image were removed, together with the one that had the same bytes: it has to be brought again. */
class FilesGone extends AppError {
  constructor() {
    super('rest_unavailable', { headers: { 'retry-after': '1' } })
  }
}

/** How often a picture is kept whose files were removed meanwhile. The second time only a sweep can remove them. */
const ATTEMPTS = 3

/** Does something again if it fails because files have gone, and then with files of its own. */
export async function whileFilesGo<T>(attempt: (anew: boolean) => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt(n > 1)
    } catch (error) {
      if (!(error instanceof FilesGone) || n === ATTEMPTS) throw error
    }
  }
}

/** The image with these bytes, which may be new. */
export async function findOrCreate(tx: Tx, { mends, ...image }: Prepared): Promise<ImageRow> {
  const found = await storage.find(tx, image.hash)
  const known = found && (await storage.lock(tx, found.id, 'show'))
  if (known !== undefined && (known.id !== mends || known.file_base === image.file_base)) return known
  if (!(await fileStorage.claim(tx, namesOf(image)))) throw new FilesGone()
  if (known === undefined) return storage.create(tx, image)
  const { file_base, sizes, filesize } = image
  await storage.setFiles(tx, known.id, { file_base, sizes, filesize })
  await fileStorage.addObsolete(tx, namesOf(known), image.date_utc)
  return { ...known, file_base, sizes, filesize }
}

/** Removes files that were kept for an image and that none has come to name. Without an answer the next sweep does so. */
export async function discardUnused(scope: Scope, prepared: readonly (Prepared | Problem)[]): Promise<void> {
  const files = prepared.flatMap((image) => ('problem' in image || 'id' in image ? [] : namesOf(image)))
  await discard(scope, files).catch(() => {})
}
