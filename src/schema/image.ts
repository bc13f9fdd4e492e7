import { pageParameters } from './record.ts'

/** Parameters of the list of images. */
export const imageListParameters = { ...pageParameters }
