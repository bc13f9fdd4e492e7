import { declare } from './field.ts'
import { pageParameters } from './record.ts'
import * as types from './value-types.ts'

/** Fields of images that can be changed. */
export const imageFields = declare('image', {
  alt: { kind: types.text, sample: 'Musicians on a boat in the old harbour' },
})

/** Parameters of the list of images. */
export const imageListParameters = {
  ...pageParameters,
  ...declare('image', {
    search: { kind: types.exact },
  }),
}
