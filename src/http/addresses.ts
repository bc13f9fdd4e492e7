/** The addresses that responses are made of. */
export interface Addresses {
  /** The public site: where `url` values lead. */
  readonly home: string
  /** The REST interface. */
  readonly rest: string
  /** The host name, without its port: what a `global_id` begins with. */
  readonly host: string
}
