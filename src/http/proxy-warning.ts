import { isLocalHost, isLoopback } from '../lib/loopback.ts'
import { isLocal, type Sender } from './rate-limit.ts'

export interface ProxyOptions {
  readonly baseUrl: string
  /** The address that the service listens on. */
  readonly host: string
  readonly trustProxy: readonly string[]
  readonly rateLimitLoopback: boolean
  /** Certificate of the service's own; empty without one. */
  readonly tlsCert?: string
}

type Log = { warn(message: string): void }

const SEE_DOCS = 'See "Behind a proxy" in docs/operations.md.'

/** Headers that proxies add, besides those that name the client. */
const PROXY_HEADERS = [
  'via',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-scheme',
]

/**
 * Warns on startup if the service must be behind a proxy that is not configured: its address is https, which it does
 * not speak, or is public while it listens on loopback only.
 */
export function warnAtStart({ baseUrl, host, trustProxy, tlsCert = '' }: ProxyOptions, log: Log): void {
  const { protocol, hostname } = new URL(baseUrl)
  const isBehind = (protocol === 'https:' && tlsCert === '') || (!isLocalHost(hostname) && isLocalHost(host))
  if (!isBehind || trustProxy.length > 0) return
  log.warn(
    `${baseUrl} is reached through a proxy, and KALENDS_TRUST_PROXY does not name it: limits per address count all visitors ` +
      `as one, or none of them if the proxy is on this machine and sends no X-Forwarded-For. ${SEE_DOCS}`,
  )
}

/**
 * Watches the first request of each connection from loopback, and warns once if it seems to come from a proxy that
 * bypasses the rate limits.
 */
export function watchForProxy(options: Omit<ProxyOptions, 'host'>, log: Log): (sender: Sender) => void {
  const isPublic = !isLocalHost(new URL(options.baseUrl).hostname)
  let hasWarned = options.rateLimitLoopback && options.trustProxy.length > 0
  const seen = new WeakSet<object>()
  return (sender) => {
    if (hasWarned || seen.has(sender.socket)) return
    seen.add(sender.socket)
    if (!isLoopback(sender.socket.remoteAddress ?? '')) return
    const message = isLocal(sender) ? withoutForwardedFor(sender, isPublic) : untrustedProxy(options)
    if (message === null) return
    hasWarned = true
    log.warn(`${message} ${SEE_DOCS}`)
  }
}

/** Warning about a proxy that does not name its clients. */
function withoutForwardedFor({ headers }: Sender, isPublic: boolean): string | null {
  const isForwarded =
    PROXY_HEADERS.some((name) => headers[name] !== undefined) ||
    !isLocalHost(headers.host ?? '') ||
    (isPublic && headers['user-agent']?.startsWith('Mozilla/'))
  if (!isForwarded) return null
  return (
    'A proxy on this machine seems to pass requests on without X-Forwarded-For: limits per address do not count them. ' +
    'Let it send X-Forwarded-For, and name it in KALENDS_TRUST_PROXY.'
  )
}

/** Warning about a proxy that names its clients, but is not trusted. */
function untrustedProxy({ trustProxy }: Pick<ProxyOptions, 'trustProxy'>): string | null {
  if (trustProxy.length > 0) return null
  return (
    'A proxy on this machine passes requests on, and KALENDS_TRUST_PROXY does not name it: limits per address count all of ' +
    'its visitors as one.'
  )
}
