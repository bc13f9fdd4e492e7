import { hash } from 'node:crypto'
import { PictureRefused, readPicture } from '../lib/picture.ts'
import { Refused } from '../schema/field.ts'

/** Limit on a logo, in kilobytes: every page shows it. */
const MAX_KILOBYTES = 200

/** A logo that was uploaded. */
export class LogoFile {
  /** Hash and extension, such as `b94d27b993.svg`. */
  readonly name: string
  readonly bytes: Buffer

  constructor(name: string, bytes: Buffer) {
    this.name = name
    this.bytes = bytes
  }

  /** Two logos of one name are the same. */
  toJSON(): string {
    return this.name
  }
}

/** An SVG document, after its declaration, comments and document type. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S]){0,2000}-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/i

/**
 * Reads an uploaded logo. An SVG is kept as it is: it is shown as an image, and its own address forbids scripts. Any other
 * picture is encoded anew, and made small. Throws {@link Refused}.
 */
export async function readLogo(bytes: Buffer): Promise<LogoFile> {
  const refused = new Refused('not_a_logo', { most: MAX_KILOBYTES })
  const isSvg = bytes.length <= MAX_KILOBYTES * 1024 && SVG.test(bytes.toString('utf8', 0, 10_000))
  if (isSvg) return logoFile(bytes, 'svg')
  const { extension, full, sizes } = await readPicture(bytes).catch((error) => {
    throw error instanceof PictureRefused ? refused : error
  })
  const shown = sizes.medium ?? full
  if (extension === 'gif' || shown.bytes.length > MAX_KILOBYTES * 1024) throw refused
  return logoFile(shown.bytes, extension)
}

function logoFile(bytes: Buffer, extension: string): LogoFile {
  return new LogoFile(`${hash('sha256', bytes, 'hex').slice(0, 20)}.${extension}`, bytes)
}
