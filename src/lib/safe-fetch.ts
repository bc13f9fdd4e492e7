import { lookup as resolve } from 'node:dns'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Why a fetch was refused, as a text key below `problems.`. */
export class FetchRefused extends Error {
  readonly problem: string
  constructor(problem: 'fetch_forbidden' | 'fetch_failed' | 'fetch_too_large' | 'fetch_too_slow' | 'not_a_url') {
    super(problem)
    this.problem = problem
  }
}

export interface FetchLimits {
  /** Hosts, or `host:port`, that may be fetched even if their address is private. */
  readonly allowedHosts: readonly string[]
  readonly mostBytes: number
  /** For the whole request, in milliseconds. */
  readonly timeout: number
}

const MAX_REDIRECTS = 5

/** Non-public IPv4 addresses: RFC 6890 and multicast. */
const NOT_PUBLIC4 = new BlockList()
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
  NOT_PUBLIC4.addSubnet(network, bits)

/** Public IPv6 addresses are global unicast, except documentation ranges and those with an embedded IPv4 address. */
const GLOBAL6 = new BlockList()
GLOBAL6.addSubnet('2000::', 3, 'ipv6')
const NOT_PUBLIC6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC6.addSubnet(network, bits, 'ipv6')

/** Whether an IP address is public. */
export function isPublic(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !NOT_PUBLIC4.check(address)
  return version === 6 && GLOBAL6.check(address, 'ipv6') && !NOT_PUBLIC6.check(address, 'ipv6')
}

/** Names that only this machine or its network knows (RFC 6761, RFC 6762, RFC 8375): of one label, or below these. */
const LOCAL_NAME = /^[^.]*$|\.(localhost|local|internal|home\.arpa)$/i

/** Whether a host must not be fetched, whatever DNS says of it. */
function isForbiddenHost(host: string): boolean {
  return isIP(host) === 0 ? LOCAL_NAME.test(host.replace(/\.$/, '')) : !isPublic(host)
}

export interface FetchedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Fetches a file from a foreign address. Any status but 200 is an error. */
export async function safeFetch(address: string, limits: FetchLimits): Promise<Buffer> {
  const { status, headers, bytes } = await safeRequest(address, limits)
  if (status !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new FetchRefused('fetch_failed')
  return bytes
}

/**
 * Sends a GET request to a foreign address: http(s) only, public IP addresses only, also after DNS and redirects, with
 * limits on size and time. IP addresses are checked when the connection is opened, so DNS rebinding cannot bypass the
 * check.
 */
export async function safeRequest(
  address: string,
  limits: FetchLimits,
  requestHeaders: Record<string, string> = {},
): Promise<FetchedResponse> {
  const signal = AbortSignal.timeout(limits.timeout)
  let url = parse(address)
  let sentHeaders = requestHeaders
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await open(url, limits, signal, sentHeaders)
    const { statusCode = 0, headers } = response
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy()
      const next = parse(URL.canParse(headers.location, url) ? new URL(headers.location, url).href : '')
      // Another origin gets no headers, such as credentials, and chooses no address to which they go.
      if (next.origin !== url.origin) sentHeaders = {}
      url = next
      continue
    }
    return { status: statusCode, headers, bytes: await read(response, limits, signal) }
  }
  throw new FetchRefused('fetch_failed')
}

/** Limit on the answer to a POST that is read, in octets: only its status counts. */
const MAX_ANSWER = 65_536

/**
 * Sends a POST request to a foreign address, under the same rules, but follows no redirect. Returns the status of the
 * answer.
 */
export async function safePost(
  address: string,
  limits: FetchLimits,
  headers: Record<string, string>,
  body: string,
  stopping?: AbortSignal,
): Promise<number> {
  const timeout = AbortSignal.timeout(limits.timeout)
  const signal = stopping === undefined ? timeout : AbortSignal.any([timeout, stopping])
  const response = await open(parse(address), limits, signal, headers, body)
  // The status is known, whatever becomes of the rest.
  await read(response, { ...limits, mostBytes: MAX_ANSWER }, signal).catch(() => response.destroy())
  return response.statusCode ?? 0
}

/** How long a check of an address waits for DNS, in milliseconds. */
const DNS_TIMEOUT = 2000

/** Throws if requests to an address would be refused. A host that is not known now may be later. */
export async function refuseForbidden(address: string, { allowedHosts }: FetchLimits): Promise<void> {
  const url = parse(address)
  if (isAllowed(url, allowedHosts)) return
  const host = literalOf(url)
  if (isForbiddenHost(host)) throw new FetchRefused('fetch_forbidden')
  if (isIP(host) !== 0) return
  const found = await Promise.race([addressesOf(host), sleep(DNS_TIMEOUT, [], { ref: false })])
  if (!found.every(isPublic)) throw new FetchRefused('fetch_forbidden')
}

function addressesOf(host: string): Promise<string[]> {
  return new Promise((done) => {
    resolve(host, { all: true }, (error, found) => done(error ? [] : found.map(({ address }) => address)))
  })
}

function isAllowed({ hostname, host }: URL, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(hostname) || allowedHosts.includes(host)
}

function literalOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
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
  requestHeaders: Record<string, string>,
  body?: string,
): Promise<IncomingMessage> {
  const allowed = isAllowed(url, allowedHosts)
  if (!allowed && isForbiddenHost(literalOf(url))) throw new FetchRefused('fetch_forbidden')
  // Loaded on demand, to keep startup fast.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((done, failed) => {
    const options = {
      signal,
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...requestHeaders,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        'user-agent': 'Kalends',
        'accept-encoding': 'identity',
      },
      ...(!allowed && { lookup: publicLookup }),
    } as const
    request(url, options, done)
      .on('error', (error) => failed(asRefused(error, signal)))
      .end(body)
  })
}

/** DNS lookup that fails if one of the addresses is not public. */
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
