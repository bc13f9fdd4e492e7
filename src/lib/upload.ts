import { decodeForm } from './percent-encoding.ts'

/** An uploaded file, as the value of a form field. */
export class Upload {
  readonly bytes: Buffer
  /** Its name on the computer of the sender; empty if it is not known. */
  readonly name: string

  constructor(bytes: Buffer, name = '') {
    this.bytes = bytes
    this.name = shownName(name)
  }
}

/** An image of a form, with its alternative text. Only forms of this service send it. */
export class DescribedImage {
  /** As in a request: an id, or an upload. */
  readonly image: unknown
  readonly alt: string

  constructor(image: unknown, alt: string) {
    this.image = image
    this.alt = alt
  }
}

/** Length of a name, in characters. */
const MAX_NAME = 200

/** The last part of a path, without control characters. */
function shownName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  return last
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MAX_NAME)
}

/** File name in a web address. */
export function fileNameIn(address: string): string {
  return URL.canParse(address) ? decodeForm(new URL(address).pathname) : ''
}
