import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Design, Site } from '../domain/scope.ts'
import type { FileRoute } from '../http/endpoint.ts'
import { once } from '../lib/lazy.ts'
import { themeOf } from './theme.ts'

/** Static file of the pages. */
interface Asset {
  /** Path below the base address, with a hash of the content. */
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
  /** Compressed content; null if the format is compressed already. */
  readonly packed: (() => Promise<Buffer>) | null
}

/** Static files of a site, by plain name. */
export type Assets = ReadonlyMap<string, Asset>

const WEB = new URL('../../web/', import.meta.url)
const FILES = [
  'pages.css',
  'month.css',
  'print.css',
  'pages.js',
  'month.js',
  'event-card.js',
  'docs.css',
  'docs.js',
  'manage.css',
  'suggest.js',
  'icon.svg',
]
/** Scripts of the staff, in folders of `web/`. */
const STAFF = [
  'manage/screens.js',
  'manage/drafts.js',
  'manage/complete.js',
  'manage/rich-text.js',
  'manage/images.js',
  'manage/repeat.js',
  'vendor/squire.js',
]
const FONTS = ['figtree.woff2', 'newsreader.woff2']
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

const known = new WeakMap<Design, Assets>()

/** Reads the static files of a site once. */
export function assetsOf({ design, home }: Pick<Site, 'design' | 'home'>): Assets {
  const found = known.get(design) ?? readAssets(design, basePath(home))
  known.set(design, found)
  return found
}

/** Address of a static file, by a name that always exists. */
export function assetPath(assets: Assets, name: string): string {
  const asset = assets.get(name)
  if (asset === undefined) throw new Error(`there is no asset ${name}`)
  return asset.path
}

/** Path of the base address, without a trailing slash. */
export function basePath(home: string): string {
  return new URL(home).pathname.replace(/\/+$/, '')
}

/** Routes of static files: immutable by the address with a hash, cached for an hour by any other. */
export const assetFiles: FileRoute = {
  path: '/assets/:name',
  async find(site, name) {
    const plain = name.replace(/\.[\da-f]{10}(?=\.\w+$)/, '')
    const found = assetsOf(site).get(plain)
    if (found === undefined) return null
    const isCurrent = found.path.endsWith(`/${name}`)
    return {
      ...found,
      isCurrent,
      headers: {
        'cache-control': isCurrent ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        // A logo may be an SVG with scripts: the policy disables them.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      },
    }
  },
}

function readAssets(design: Design, base: string): Assets {
  const assets = new Map<string, Asset>()
  const add = (name: string, bytes: Buffer) => assets.set(name, asset(base, name, bytes))
  for (const name of FONTS) add(name, readFileSync(new URL(`fonts/${name}`, WEB)))
  for (const name of FILES) {
    const bytes = readFileSync(new URL(name, WEB))
    add(name, name === 'pages.css' ? withFonts(bytes, assets) : bytes)
  }
  for (const path of STAFF) add(path.replace(/^.*\//, ''), readFileSync(new URL(path, WEB)))
  add('theme.css', Buffer.from(themeOf(design.accent)))
  if (design.stylesheet !== '') add('custom.css', readFileSync(design.stylesheet))
  if (design.logoFile !== null) add(`logo${extname(design.logoFile.name)}`, design.logoFile.bytes)
  else if (design.logo !== '' && !/^https?:/.test(design.logo)) {
    add(`logo${extname(design.logo).toLowerCase()}`, readFileSync(design.logo))
  }
  return assets
}

/** Replaces the plain names of fonts in stylesheets by addresses. */
function withFonts(bytes: Buffer, assets: Assets): Buffer {
  return Buffer.from(
    bytes
      .toString()
      .replace(/url\("fonts\/([\w.]+)"\)/g, (_, name) => `url("${assetPath(assets, name).split('/').at(-1)}")`),
  )
}

function asset(base: string, name: string, bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10)
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return {
    path: `${base}/assets/${name.replace(/(?=\.\w+$)/, `.${hash}`)}`,
    type,
    bytes,
    packed: /^text|svg/.test(type) ? once(() => pack(bytes)) : null,
  }
}

function pack(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } })
}
