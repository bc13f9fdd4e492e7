import { lookup as resolve } from 'node:dns'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Why an address was not fetched, as a key of the texts below `problems.`. */
export class FetchRefused extends Error {
  readonly problem: string
  constructor(problem: 'fetch_forbidden' | 'fetch_failed' | 'fetch_too_large' | 'fetch_too_slow' | 'not_a_url') {
    super(problem)
    this.problem = problem
  }
}

export interface FetchLimits {
  /** Hosts, or `host:port`, that may be fetched from wherever they lie. */
  readonly allowedHosts: readonly string[]
  readonly mostBytes: number
  /** For everything together, in milliseconds. */
  readonly timeout: number
}

const MOST_REDIRECTS = 5

/** IPv4 addresses that are not of the public internet: RFC 6890 and multicast. */
const CLOSED = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  CLOSED.addSubnet(network, bits)

/** Of IPv6 only global unicast is open, less what is for documentation or carries an IPv4 address inside. */
const OPEN6 = new BlockList()
OPEN6.addSubnet('2000::', 3, 'ipv6')
const CLOSED6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  CLOSED6.addSubnet(network, bits, 'ipv6')

/** Whether an address is of the public internet. */
export function isPublic(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !CLOSED.check(address)
  return version === 6 && OPEN6.check(address, 'ipv6') && !CLOSED6.check(address, 'ipv6')
}

/** What a foreign address answered. */
export interface FetchedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** What lies at a foreign address; anything but a plain 200 is a failure. */
export async function safeFetch(address: string, limits: FetchLimits): Promise<Buffer> {
  const { status, headers, bytes } = await safeRequest(address, limits)
  if (status !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new FetchRefused('fetch_failed')
  return bytes
}

/**
 * Asks a foreign address: http(s) only, no address that is not public, whatever names and redirects say, within
 * limits of size and time. The addresses that a name stands for are checked where the connection is made, so that a
 * second answer cannot differ from the one that was checked.
 */
export async function safeRequest(
  address: string,
  limits: FetchLimits,
  sent: Record<string, string> = {},
): Promise<FetchedAnswer> {
  const signal = AbortSignal.timeout(limits.timeout)
  let url = parse(address)
  const { origin } = url
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    // What is meant for one site, such as credentials, does not follow a redirect to another.
    const response = await open(url, limits, signal, url.origin === origin ? sent : {})
    const { statusCode = 0, headers } = response
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy()
      url = parse(URL.canParse(headers.location, url) ? new URL(headers.location, url).href : '')
      continue
    }
    return { status: statusCode, headers, bytes: await read(response, limits, signal) }
  }
  throw new FetchRefused('fetch_failed')
}

function parse(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new FetchRefused('not_a_url')
  return url
}

function open(
  url: URL,
  { allowedHosts }: FetchLimits,
  signal: AbortSignal,
  sent: Record<string, string>,
): Promise<IncomingMessage> {
  const allowed = allowedHosts.includes(url.hostname) || allowedHosts.includes(url.host)
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowed && isIP(literal) !== 0 && !isPublic(literal)) throw new FetchRefused('fetch_forbidden')
  // Loaded when something is fetched: a service starts in less time without them.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((done, failed) => {
    const options = {
      signal,
      agent: false,
      headers: { ...sent, 'user-agent': 'Kalends', 'accept-encoding': 'identity' },
      ...(!allowed && { lookup: publicLookup }),
    } as const
    request(url, options, done)
      .on('error', (error) => failed(asRefused(error, signal)))
      .end()
  })
}

/** Resolves names like the usual look-up, and fails if one of the addresses is not public. */
const publicLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublic(address)))
      return done(new FetchRefused('fetch_forbidden'), [])
    const [first] = addresses
    return options.all || first === undefined ? done(null, addresses) : done(null, first.address, first.family)
  })
}

async function read(response: IncomingMessage, { mostBytes }: FetchLimits, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      size += chunk.length
      if (size > mostBytes) throw new FetchRefused('fetch_too_large')
      chunks.push(chunk)
    }
  } catch (error) {
    throw asRefused(error, signal)
  }
  return Buffer.concat(chunks)
}

function asRefused(error: unknown, signal: AbortSignal): FetchRefused {
  if (error instanceof FetchRefused) return error
  return new FetchRefused(signal.aborted ? 'fetch_too_slow' : 'fetch_failed')
}
