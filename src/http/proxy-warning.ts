import { isLocalHost, isLoopback } from '../lib/loopback.ts'
import { isLocal, type Sender } from './rate-limit.ts'

export interface ProxyOptions {
  readonly baseUrl: string
  /** What the service listens on. */
  readonly host: string
  readonly trustProxy: readonly string[]
  readonly rateLimitLoopback: boolean
}

type Log = { warn(message: string): void }

const SEE = 'See "Behind a proxy" in docs/operations.md.'

/** Headers that proxies add, beside those that name the client. */
const OF_PROXIES = [
  'via',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-scheme',
]

/**
 * Warns at the start of a service that must be behind a proxy which it does not know: its address is https, which it does
 * not speak, or it is public, and the service can be reached from this machine alone.
 */
export function warnAtStart({ baseUrl, host, trustProxy }: ProxyOptions, log: Log): void {
  const { protocol, hostname } = new URL(baseUrl)
  const isBehind = protocol === 'https:' || (!isLocalHost(hostname) && isLocalHost(host))
  if (!isBehind || trustProxy.length > 0) return
  log.warn(
    `${baseUrl} is reached through a proxy, and KALENDS_TRUST_PROXY does not name it: limits per address count all visitors ` +
      `as one, or none of them if the proxy is on this machine and sends no X-Forwarded-For. ${SEE}`,
  )
}

/** Looks at requests from this machine, and warns once if they seem to come from a proxy that switches limits off. */
export function watchForProxy(options: Omit<ProxyOptions, 'host'>, log: Log): (sender: Sender) => void {
  const isPublic = !isLocalHost(new URL(options.baseUrl).hostname)
  let isTold = options.rateLimitLoopback && options.trustProxy.length > 0
  return (sender) => {
    if (isTold || !isLoopback(sender.socket.remoteAddress ?? '')) return
    const message = isLocal(sender) ? unforwarded(sender, isPublic) : unbelieved(options)
    if (message === null) return
    isTold = true
    log.warn(`${message} ${SEE}`)
  }
}

/** A proxy that does not say whom it passes on. */
function unforwarded({ headers }: Sender, isPublic: boolean): string | null {
  const isPassedOn =
    OF_PROXIES.some((name) => headers[name] !== undefined) ||
    !isLocalHost(headers.host ?? '') ||
    (isPublic && headers['user-agent']?.startsWith('Mozilla/'))
  if (!isPassedOn) return null
  return (
    'A proxy on this machine seems to pass requests on without X-Forwarded-For: limits per address do not count them. ' +
    'Let it send X-Forwarded-For, and name it in KALENDS_TRUST_PROXY.'
  )
}

/** A proxy that says so, and is not believed. */
function unbelieved({ trustProxy }: Pick<ProxyOptions, 'trustProxy'>): string | null {
  if (trustProxy.length > 0) return null
  return (
    'A proxy on this machine passes requests on, and KALENDS_TRUST_PROXY does not name it: limits per address count all of ' +
    'its visitors as one.'
  )
}
