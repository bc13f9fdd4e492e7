import { createHash } from 'node:crypto'
import type { Sharp } from 'sharp'

/** Why bytes are no picture that we take, as a key of the texts below `problems.`. */
export class PictureRefused extends Error {
  readonly problem: string
  constructor(problem: 'not_an_image' | 'image_too_large') {
    super(problem)
    this.problem = problem
  }
}

/** One rendering of a picture. */
export interface Rendering {
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

export interface Picture {
  /** Of the bytes that were given: the same picture is kept once. */
  readonly hash: string
  readonly extension: string
  readonly mime: string
  readonly full: Rendering
  /** Smaller renderings by name; those that would be larger than the picture are absent. */
  readonly sizes: Record<string, Rendering>
}

/** The most pixels, all frames together; more would take too much memory to unpack. */
const MOST_PIXELS = 50_000_000

/** Of JPEG and WebP, from 1 to 100. Lists show many thumbnails, and show them small; phones show the others at half their size. */
const QUALITY = 82
const SIZE_QUALITY = 72
const THUMBNAIL_QUALITY = 68

const SIZES = {
  thumbnail: { width: 150, height: 150, fit: 'cover' },
  medium: { width: 300, height: 300, fit: 'inside' },
  // For pages alone, on small screens with many dots: the interface tells of the other three.
  card: { width: 640, height: 640, fit: 'inside' },
  large: { width: 1024, height: 1024, fit: 'inside' },
} as const

/** What each format begins with, and what it is kept as. */
const FORMATS = [
  { name: 'jpeg', starts: /^\xff\xd8\xff/, extension: 'jpg', mime: 'image/jpeg' },
  { name: 'png', starts: /^\x89PNG\r\n.\n/, extension: 'png', mime: 'image/png' },
  { name: 'gif', starts: /^GIF8[79]a/, extension: 'gif', mime: 'image/gif' },
  { name: 'webp', starts: /^RIFF....WEBP/s, extension: 'webp', mime: 'image/webp' },
  { name: 'heif', starts: /^....ftyp(avif|avis|mif1)/s, extension: 'webp', mime: 'image/webp' },
] as const
type Format = (typeof FORMATS)[number]

/** Marks of a file that is a page, a program or an archive as well. */
const PAGE = /<(script|html|svg|iframe|body|!doctype)[\s>/]|<\?php/i

/** Reads a picture by its bytes, whatever its name or type claims, and renders it anew: nothing but the picture is kept. */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  const format = recognise(bytes)
  // Loaded when it is needed: a service starts in less time without it.
  const { default: sharp } = await import('sharp')
  const open = () =>
    sharp(bytes, {
      limitInputPixels: MOST_PIXELS,
      animated: format.name === 'gif' || format.name === 'webp',
      failOn: 'error',
    }).autoOrient()
  try {
    const { format: actual, width = 0, height = 0, pages = 1 } = await open().metadata()
    if (actual !== format.name) throw new PictureRefused('not_an_image')
    if (width * height * (format.name === 'heif' ? pages : 1) > MOST_PIXELS) throw new PictureRefused('image_too_large')
    const full = await render(open(), format)
    const sizes: Record<string, Rendering> = {}
    for (const [name, size] of Object.entries(SIZES)) {
      if (full.width <= size.width && full.height <= size.height) continue
      const quality = name === 'thumbnail' ? THUMBNAIL_QUALITY : SIZE_QUALITY
      sizes[name] = await render(open().resize({ ...size, withoutEnlargement: true }), format, quality)
    }
    return {
      hash: createHash('sha256').update(bytes).digest('hex'),
      extension: format.extension,
      mime: format.mime,
      full,
      sizes,
    }
  } catch (error) {
    if (error instanceof PictureRefused) throw error
    throw new PictureRefused(
      error instanceof Error && /pixel limit/i.test(error.message) ? 'image_too_large' : 'not_an_image',
    )
  }
}

/** Only what begins as one of the formats ever reaches a decoder, and only if it is nothing else as well. */
function recognise(bytes: Buffer): Format {
  const start = bytes.toString('latin1', 0, 32)
  const format = FORMATS.find(({ starts }) => starts.test(start))
  if (format === undefined || isPolyglot(bytes)) throw new PictureRefused('not_an_image')
  return format
}

function isPolyglot(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  // A PDF may begin late, and the directory of a ZIP archive lies at its end.
  return PAGE.test(text) || text.slice(0, 1024).includes('%PDF-') || text.slice(-65_557).includes('PK\x05\x06')
}

/** Renders without metadata; an animation keeps its frames. */
async function render(picture: Sharp, format: Format, quality = QUALITY): Promise<Rendering> {
  const encoded = {
    jpg: () => picture.jpeg({ quality, mozjpeg: true }),
    png: () => picture.png(),
    gif: () => picture.gif(),
    webp: () => picture.webp({ quality }),
  }
  const { data, info } = await encoded[format.extension]().toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height }
}
