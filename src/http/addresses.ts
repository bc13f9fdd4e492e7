/** Base addresses for the links in a response. */
export interface Addresses {
  /** The public site: base of `url` values. */
  readonly home: string
  /** The public site in the language of the address: base of links between pages. */
  readonly pages: string
  /** The REST interface, in the language and by the mount of the address. */
  readonly rest: string
  /** Host name without port: the prefix of a `global_id`. */
  readonly host: string
  /** Language of the texts in the response. */
  readonly language: string
}
