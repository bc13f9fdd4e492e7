import type { Sharp, SharpOptions } from 'sharp'
import { hashOf, hasMoreScans, isPolyglot } from './picture-bytes.ts'
import { runInSlices } from './time-slices.ts'
import { WorkQueue } from './work-queue.ts'

/** Why bytes are no picture that we take, as a key of the texts below `problems.`. */
export class PictureRefused extends Error {
  readonly problem: 'not_an_image' | 'image_too_large' | 'animation_too_long' | 'image_too_slow'
  constructor(problem: PictureRefused['problem']) {
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

/** The most pixels; more would take too much memory to unpack. */
const MOST_PIXELS = 50_000_000
/** The most frames of an animation, and pixels of all of them together: a million takes up to a fifth of a second. */
const MOST_FRAMES = 1000
const MOST_MOVING_PIXELS = 20_000_000
/** Pictures and animations of more pixels are encoded in the fastest way: half the time or less, and a little more bytes. */
const LARGE = 12_000_000
const LARGE_MOVING = 2_000_000
/** The most scans of a progressive JPEG, which has a dozen: the decoder takes all of them in one go, which nothing interrupts. */
const MOST_SCANS = 64
/** How long all renderings of a picture may take together, in seconds. */
const LONGEST = 10

/**
 * How many pictures are read at once, and how many may wait for that. Each takes a thread of the four that hashes of
 * passwords and files need too, and up to half a gigabyte.
 */
const decoders = new WorkQueue(2, 20)

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

/** Reads a picture by its bytes, whatever its name or type claims, and renders it anew: nothing but the picture is kept. */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  const format = await recognise(bytes)
  const hash = await runInSlices(hashOf(bytes))
  const { extension, mime } = format
  return { hash, extension, mime, ...(await decoders.run(() => renderAll(bytes, format))) }
}

async function renderAll(bytes: Buffer, format: Format): Promise<Pick<Picture, 'full' | 'sizes'>> {
  // Loaded when it is needed: a service starts in less time without it.
  const { default: sharp } = await import('sharp')
  const animated = format.name === 'gif' || format.name === 'webp'
  const options: SharpOptions = { limitInputPixels: MOST_PIXELS, animated, failOn: 'error' }
  const deadline = performance.now() + LONGEST * 1000
  const open = (from: Buffer) => {
    const seconds = Math.ceil((deadline - performance.now()) / 1000)
    if (seconds <= 0) throw new PictureRefused('image_too_slow')
    return sharp(from, options).timeout({ seconds }).autoOrient()
  }
  try {
    const { format: actual, width = 0, height = 0, pages = 1 } = await open(bytes).metadata()
    if (actual !== format.name) throw new PictureRefused('not_an_image')
    const pixels = width * height * (format.name === 'heif' ? pages : 1)
    if (pages > MOST_FRAMES || (animated && pages > 1 && pixels > MOST_MOVING_PIXELS))
      throw new PictureRefused('animation_too_long')
    if (pixels > MOST_PIXELS) throw new PictureRefused('image_too_large')
    const isFast = pixels > (pages > 1 ? LARGE_MOVING : LARGE)
    const full = await render(open(bytes), format, QUALITY, isFast)
    return { full, sizes: await (pages > 1 ? moving(open, full, format, isFast) : still(open, full, format)) }
  } catch (error) {
    throw error instanceof PictureRefused ? error : new PictureRefused(problemOf(error))
  }
}

type Open = (from: Buffer) => Sharp
type Size = (typeof SIZES)[keyof typeof SIZES]

/** Smaller renderings, from the one that was made of what was sent: that is unpacked once. */
async function still(open: Open, full: Rendering, format: Format): Promise<Picture['sizes']> {
  const sizes: Record<string, Rendering> = {}
  for (const { name, quality, ...size } of sizesOf(full)) {
    sizes[name] = await render(open(full.bytes).resize({ ...size, fit: 'cover' }), format, quality, false)
  }
  return sizes
}

/** The same of an animation, each size from the next larger one: unpacking all frames takes long. */
async function moving(open: Open, full: Rendering, format: Format, isFast: boolean): Promise<Picture['sizes']> {
  const sizes: [string, Rendering][] = []
  let last = full
  for (const { name, quality, width, height } of sizesOf(full).reverse()) {
    const from = last.width >= width && last.height >= height ? last : full
    last = await render(open(from.bytes).resize({ width, height, fit: 'cover' }), format, quality, isFast)
    sizes.push([name, last])
  }
  return Object.fromEntries(sizes.reverse())
}

/** The sizes that are smaller than a picture, with what it measures there. */
function sizesOf(full: Rendering) {
  return Object.entries(SIZES)
    .filter(([, size]) => full.width > size.width || full.height > size.height)
    .map(([name, size]) => ({
      name,
      quality: name === 'thumbnail' ? THUMBNAIL_QUALITY : SIZE_QUALITY,
      ...sizeWithin(full, size),
    }))
}

/** How large a picture is in a size; no side becomes longer than it was. */
function sizeWithin(full: Rendering, { width, height, fit }: Size): { width: number; height: number } {
  if (fit === 'cover') return { width: Math.min(width, full.width), height: Math.min(height, full.height) }
  const scale = Math.min(width / full.width, height / full.height)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  return { width: scaled(full.width), height: scaled(full.height) }
}

/** What the decoder says of a picture that it cannot read; it has no codes. */
function problemOf(error: unknown): PictureRefused['problem'] {
  const message = error instanceof Error ? error.message : ''
  if (/pixel limit/i.test(message)) return 'image_too_large'
  return /^timeout:|\ntimeout:/.test(message) ? 'image_too_slow' : 'not_an_image'
}

/** Only what begins as one of the formats ever reaches a decoder, and only if it is nothing else as well. */
async function recognise(bytes: Buffer): Promise<Format> {
  const start = bytes.toString('latin1', 0, 32)
  const format = FORMATS.find(({ starts }) => starts.test(start))
  if (format === undefined || (await runInSlices(isPolyglot(bytes)))) throw new PictureRefused('not_an_image')
  if (format.name === 'jpeg' && (await runInSlices(hasMoreScans(bytes, MOST_SCANS))))
    throw new PictureRefused('image_too_slow')
  return format
}

/** Renders without metadata; an animation keeps its frames. */
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
