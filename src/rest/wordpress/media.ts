import { toWallClock } from '../../calendar/zone.ts'
import type { Image } from '../../domain/images.ts'
import * as images from '../../domain/images.ts'
import type { Call, View } from '../../http/endpoint.ts'
import {
  addressOf,
  collection,
  linksOf,
  PAGE_PARAMETERS,
  pick,
  requireUser,
  WP_NAMESPACE,
  wideScope,
} from './collection.ts'

const BASE = `${WP_NAMESPACE}/media`

/** Images: list, upload, read and describe. An upload is the raw body of a request, or the file of a form. */
export function mediaViews(root: string): View[] {
  const single = (call: Call, image: Image) => present(call, image, addressOf(call, root, BASE))
  return [
    {
      path: `${root}/${BASE}`,
      methods: ['GET'],
      parameters: [...PAGE_PARAMETERS, 'search', 'slug'],
      async handle(call) {
        requireUser(call)
        const slug = call.search.get('slug')
        const found = slug ? await images.findByName(call.scope, slug) : await searchImages(call)
        return collection(
          call,
          addressOf(call, root, BASE),
          found.images.map((image) => single(call, image)),
          found,
        )
      },
    },
    {
      path: `${root}/${BASE}`,
      methods: ['POST'],
      upload: true,
      async handle(call) {
        requireUser(call)
        const made = await images.create(call.scope, call.file)
        const location = `${addressOf(call, root, BASE)}/${made.id}`
        return { status: 201, headers: { location }, body: single(call, made) }
      },
    },
    {
      path: `${root}/${BASE}/:id(^\\d+$)`,
      methods: ['POST'],
      async handle(call) {
        requireUser(call)
        const fields = () => {
          const { alt_text: alt } = call.body()
          return alt === undefined ? {} : { alt }
        }
        return { body: single(call, await images.update(call.scope, call.id, fields)) }
      },
    },
    {
      path: `${root}/${BASE}/:id(^\\d+$)`,
      methods: ['GET'],
      parameters: PAGE_PARAMETERS,
      async handle(call) {
        requireUser(call)
        return { body: single(call, await images.get(call.scope, call.id)) }
      },
    },
  ]
}

/** A search finds an image by the name of its file here, or else as the list of images does. */
async function searchImages(call: Call): Promise<images.ImagePage> {
  const search = call.search.get('search')
  const named = search ? await images.findByName(call.scope, search) : null
  if (named !== null && named.total > 0) return named
  const query = pick(call, ['page', 'per_page', 'search'])
  return images.list(wideScope(call), () => query)
}

function present({ addresses: { home }, scope }: Call, image: Image, address: string): object {
  const url = (file: string) => `${home}/images/${file}`
  const name = image.file.replace(/\.\w+$/, '')
  const sizeOf = ({ file, width, height }: { file: string; width: number; height: number }) => ({
    file,
    width,
    height,
    mime_type: image.mime,
    source_url: url(file),
  })
  const sizes = Object.entries(image.sizes).map(([size, file]) => [size, sizeOf(file)])
  return {
    id: image.id,
    date: toWallClock(image.date_utc, scope.site.timezone).replace(' ', 'T'),
    date_gmt: toWallClock(image.date_utc, 'UTC').replace(' ', 'T'),
    slug: name,
    status: 'inherit',
    type: 'attachment',
    link: url(image.file),
    title: { rendered: name },
    author: image.author,
    caption: { rendered: '' },
    description: { rendered: '' },
    alt_text: image.alt,
    media_type: 'image',
    mime_type: image.mime,
    media_details: {
      width: image.width,
      height: image.height,
      file: image.file,
      filesize: image.filesize,
      sizes: { ...Object.fromEntries(sizes), full: sizeOf(image) },
    },
    source_url: url(image.file),
    _links: linksOf(address, image.id),
  }
}
