import * as images from '../../domain/images.ts'
import { type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { optional } from '../../schema/field.ts'
import { imageFields, imageListParameters } from '../../schema/image.ts'
import { removeParameters } from '../../schema/record.ts'
import { listAnswer } from '../list-response.ts'
import { image } from '../present.ts'
import { byId } from './lookup.ts'

const single = (call: Call, shown: images.Image) => ({ body: image(shown, call.addresses.home) })

/** Images: list, upload, read, describe and remove. Only authors and above may use them; files are public. */
export const imageEndpoints: Endpoint[] = [
  {
    name: 'images.list',
    answers: 'ImageList',
    methods: ['GET'],
    path: '/images',
    access: 'signed-in',
    parameters: imageListParameters,
    async handle(call) {
      const { images: found, ...page } = await images.list(call.scope, call.query)
      const items = found.map((shown) => image(shown, call.addresses.home))
      return listAnswer(call, items, { name: 'images', pastEnd: 'image-archive-page-not-found', ...page })
    },
  },
  {
    name: 'images.create',
    manyTransactions: true,
    answers: 'Image',
    methods: ['POST'],
    path: '/images',
    access: 'signed-in',
    parameters: {},
    upload: true,
    async handle(call) {
      const shown = await images.create(call.scope, call.file)
      return { ...single(call, shown), status: 201, headers: { location: `${call.addresses.rest}/images/${shown.id}` } }
    },
  },
  {
    name: 'images.get',
    answers: 'Image',
    methods: ['GET'],
    path: '/images/:id',
    access: 'signed-in',
    parameters: byId.parameters,
    handle: async (call) => single(call, await images.get(call.scope, call.id)),
  },
  {
    name: 'images.update',
    manyTransactions: true,
    answers: 'Image',
    methods: UPDATE,
    path: '/images/:id',
    access: 'signed-in',
    parameters: { ...optional(imageFields), ...byId.parameters },
    handle: async (call) => single(call, await images.update(call.scope, call.id, call.body)),
  },
  {
    name: 'images.remove',
    manyTransactions: true,
    answers: 'Image',
    methods: ['DELETE'],
    path: '/images/:id',
    access: 'signed-in',
    parameters: { ...byId.parameters, ...removeParameters },
    handle: async (call) => single(call, await images.remove(call.scope, call.id, call.query)),
  },
]
