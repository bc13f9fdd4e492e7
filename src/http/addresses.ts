/** Base addresses for the links in a response. */
export interface Addresses {
  /** The public site: base of `url` values. */
  readonly home: string
  /** The REST interface. */
  readonly rest: string
  /** Host name without port: the prefix of a `global_id`. */
  readonly host: string
}
