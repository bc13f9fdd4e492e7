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

const hosts = new Map<string, string>()

function hostOf(baseUrl: string): string {
  const host = hosts.get(baseUrl) ?? new URL(baseUrl).hostname
  hosts.set(baseUrl, host)
  return host
}

/** Language and mount of the address stay in the links of the response. */
export function addressesOf(
  { language, mount }: { readonly language: { name: string; byAddress: boolean }; readonly mount: string },
  baseUrl: string,
): Addresses {
  const pages = language.byAddress ? `${baseUrl}/${language.name}` : baseUrl
  return { home: baseUrl, pages, rest: `${pages}${mount}`, host: hostOf(baseUrl), language: language.name }
}
