import type { Sharp, SharpOptions } from 'sharp'
import { hashOf, hasMoreScans, isPolyglot } from './picture-bytes.ts'
import { runInSlices } from './time-slices.ts'
import { WorkQueue } from './work-queue.ts'

/** Why a picture was refused, as a text key below `problems.`. */
export class PictureRefused extends Error {
  readonly problem: 'not_an_image' | 'image_too_large' | 'animation_too_long' | 'image_too_slow'
  constructor(problem: PictureRefused['problem']) {
    super(problem)
    this.problem = problem
  }
}

/** A picture encoded in one size. */
export interface Rendering {
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

export interface Picture {
  /** Hash of the uploaded bytes, for deduplication. */
  readonly hash: string
  readonly extension: string
  readonly mime: string
  readonly full: Rendering
  /** Smaller renderings by name, except those that would be larger than the picture. */
  readonly sizes: Record<string, Rendering>
}

/** Limit on pixels: decoding more would take too much memory. */
const MAX_PIXELS = 50_000_000
/** Limits on frames of an animation, and on pixels of all frames together: a million takes up to 200 ms. */
const MAX_FRAMES = 1000
const MAX_MOVING_PIXELS = 20_000_000
/**
 * Pictures and animations above this number of pixels use the fastest encoder settings: at most half the time, for
 * slightly larger files.
 */
const LARGE = 12_000_000
const LARGE_MOVING = 2_000_000
/** Limit on scans of a progressive JPEG, which usually has a dozen: decoding them cannot be interrupted. */
const MAX_SCANS = 64
/** Timeout for all renderings of a picture together, in seconds. */
const TIMEOUT = 10

/**
 * Two pictures are decoded at once; 20 may wait. Each takes one of the four threads of Node's pool, which password
 * hashes and files need, too, and up to half a gigabyte.
 */
const decoders = new WorkQueue(2, 20)

/**
 * Quality of JPEG and WebP, 1 to 100. Thumbnails are shown small, and phones show the other sizes at half their pixels.
 */
const QUALITY = 82
const SIZE_QUALITY = 72
const THUMBNAIL_QUALITY = 68

const SIZES = {
  thumbnail: { width: 150, height: 150, fit: 'cover' },
  medium: { width: 300, height: 300, fit: 'inside' },
  // Only for pages, on small high-density screens. The REST interface has the other three.
  card: { width: 640, height: 640, fit: 'inside' },
  large: { width: 1024, height: 1024, fit: 'inside' },
} as const

/** Magic bytes of each format, and the format it is stored as. */
const FORMATS = [
  { name: 'jpeg', starts: /^\xff\xd8\xff/, extension: 'jpg', mime: 'image/jpeg' },
  { name: 'png', starts: /^\x89PNG\r\n.\n/, extension: 'png', mime: 'image/png' },
  { name: 'gif', starts: /^GIF8[79]a/, extension: 'gif', mime: 'image/gif' },
  { name: 'webp', starts: /^RIFF....WEBP/s, extension: 'webp', mime: 'image/webp' },
  { name: 'heif', starts: /^....ftyp(avif|avis|mif1)/s, extension: 'webp', mime: 'image/webp' },
] as const
type Format = (typeof FORMATS)[number]

/**
 * Decodes a picture by its bytes, whatever its name or type claims, and re-encodes it: nothing but the picture is
 * stored.
 */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  const format = await detectFormat(bytes)
  const hash = await runInSlices(hashOf(bytes))
  const { extension, mime } = format
  return { hash, extension, mime, ...(await decoders.run(() => renderAll(bytes, format))) }
}

async function renderAll(bytes: Buffer, format: Format): Promise<Pick<Picture, 'full' | 'sizes'>> {
  // Loaded on demand, to keep startup fast.
  const { default: sharp } = await import('sharp')
  const animated = format.name === 'gif' || format.name === 'webp'
  const options: SharpOptions = { limitInputPixels: MAX_PIXELS, animated, failOn: 'error' }
  const deadline = performance.now() + TIMEOUT * 1000
  const open = (from: Buffer) => {
    const seconds = Math.ceil((deadline - performance.now()) / 1000)
    if (seconds <= 0) throw new PictureRefused('image_too_slow')
    return sharp(from, options).timeout({ seconds }).autoOrient()
  }
  try {
    const { format: actual, width = 0, height = 0, pages = 1 } = await open(bytes).metadata()
    if (actual !== format.name) throw new PictureRefused('not_an_image')
    const pixels = width * height * (format.name === 'heif' ? pages : 1)
    if (pages > MAX_FRAMES || (animated && pages > 1 && pixels > MAX_MOVING_PIXELS))
      throw new PictureRefused('animation_too_long')
    if (pixels > MAX_PIXELS) throw new PictureRefused('image_too_large')
    const isFast = pixels > (pages > 1 ? LARGE_MOVING : LARGE)
    const full = await render(open(bytes), format, QUALITY, isFast)
    return {
      full,
      sizes: await (pages > 1
        ? renderAnimationSizes(open, full, format, isFast)
        : renderStillSizes(open, full, format)),
    }
  } catch (error) {
    throw error instanceof PictureRefused ? error : new PictureRefused(problemOf(error))
  }
}

type Open = (from: Buffer) => Sharp
type Size = (typeof SIZES)[keyof typeof SIZES]

/** Renders the smaller sizes of a still picture from the full rendering, so that the upload is decoded once. */
async function renderStillSizes(open: Open, full: Rendering, format: Format): Promise<Picture['sizes']> {
  const sizes: Record<string, Rendering> = {}
  for (const { name, quality, ...size } of sizesOf(full)) {
    sizes[name] = await render(open(full.bytes).resize({ ...size, fit: 'cover' }), format, quality, false)
  }
  return sizes
}

/** Renders the smaller sizes of an animation, each from the next larger one: decoding all frames is slow. */
async function renderAnimationSizes(
  open: Open,
  full: Rendering,
  format: Format,
  isFast: boolean,
): Promise<Picture['sizes']> {
  const sizes: [string, Rendering][] = []
  let last = full
  for (const { name, quality, width, height } of sizesOf(full).reverse()) {
    const from = last.width >= width && last.height >= height ? last : full
    last = await render(open(from.bytes).resize({ width, height, fit: 'cover' }), format, quality, isFast)
    sizes.push([name, last])
  }
  return Object.fromEntries(sizes.reverse())
}

/** Sizes smaller than a picture, with their dimensions. */
function sizesOf(full: Rendering) {
  return Object.entries(SIZES)
    .filter(([, size]) => full.width > size.width || full.height > size.height)
    .map(([name, size]) => ({
      name,
      quality: name === 'thumbnail' ? THUMBNAIL_QUALITY : SIZE_QUALITY,
      ...sizeWithin(full, size),
    }))
}

/** Dimensions of a picture within a size. No side is enlarged. */
function sizeWithin(full: Rendering, { width, height, fit }: Size): { width: number; height: number } {
  if (fit === 'cover') return { width: Math.min(width, full.width), height: Math.min(height, full.height) }
  const scale = Math.min(width / full.width, height / full.height)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  return { width: scaled(full.width), height: scaled(full.height) }
}

/** Maps an error of the decoder, which has no codes, to a problem. */
function problemOf(error: unknown): PictureRefused['problem'] {
  const message = error instanceof Error ? error.message : ''
  if (/pixel limit/i.test(message)) return 'image_too_large'
  return /^timeout:|\ntimeout:/.test(message) ? 'image_too_slow' : 'not_an_image'
}

/** Detects the format. Only files with known magic bytes that are nothing else reach a decoder. */
async function detectFormat(bytes: Buffer): Promise<Format> {
  const start = bytes.toString('latin1', 0, 32)
  const format = FORMATS.find(({ starts }) => starts.test(start))
  if (format === undefined || (await runInSlices(isPolyglot(bytes)))) throw new PictureRefused('not_an_image')
  if (format.name === 'jpeg' && (await runInSlices(hasMoreScans(bytes, MAX_SCANS))))
    throw new PictureRefused('image_too_slow')
  return format
}

/** Encodes without metadata. An animation keeps its frames. */
async function render(picture: Sharp, format: Format, quality: number, isFast: boolean): Promise<Rendering> {
  const encoded = {
    jpg: () => picture.jpeg({ quality, mozjpeg: !isFast }),
    png: () => picture.png(),
    gif: () => picture.gif(isFast ? { effort: 1 } : {}),
    webp: () => picture.webp({ quality, ...(isFast && { effort: 0 }) }),
  }
  const { data, info } = await encoded[format.extension]().toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height }
}
