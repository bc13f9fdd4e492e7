import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { PendingConnections } from './pending-connections.ts'

/** Backlog of a listening socket: Node's default, and while the port is being closed. Linux allows one more. */
const DEFAULT_BACKLOG = 511
const CLOSING_BACKLOG = 1
const FILLERS = CLOSING_BACKLOG + 1
/**
 * Timeouts for handshakes to end, and for closing a port gracefully, in milliseconds. The first packets of a handshake are
 * sent again after one second.
 */
const HANDSHAKE_TIMEOUT = 1500
const TIMEOUT = 2000
/** Pauses between attempts, and between looks at the handshakes, in milliseconds. */
const PAUSE = 1
const HANDSHAKE_PAUSE = 10

/** Node's internal handle of a server or socket. It is not documented, so each part may be missing. */
interface Handle {
  readonly fd?: number
  listen?(backlog: number): number
  getpeername?(out: object): number
}

/**
 * Closes a port without resetting a connection. When a port is closed, the system resets connections in its accept
 * queue and in their handshake, although their clients may have sent a request. So the queue is filled with connections
 * of our own, and its backlog is reduced: the system then drops further SYN packets. If no other connection is in the
 * queue or in its handshake, the port is closed before the event loop accepts ours. Clients that were dropped retry, and
 * get "connection refused". Connections accepted meanwhile are handled afterwards: if they were answered before, their
 * clients would reconnect at once, and the queue would never be empty.
 */
export async function closePort(server: Server, accept: (socket: Socket) => void): Promise<void> {
  const own = new Set<number | undefined>()
  const waiting: Socket[] = []
  let accepted = 0
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    accepted++
    if (own.delete(socket.remotePort)) socket.destroy()
    else waiting.push(socket.on('error', () => {}))
  })
  const address = server.address() as AddressInfo
  const handle = handleOf(server)
  const pending = PendingConnections.of(handle?.fd ?? -1, address)
  const begun = performance.now()
  const isWithin = (timeout: number) => performance.now() - begun < timeout
  for (let isClosed = false; !isClosed; ) {
    while (isWithin(HANDSHAKE_TIMEOUT) && (await pending?.count())?.handshakes) await sleep(HANDSHAKE_PAUSE)
    // Node accepts one connection per turn of its event loop.
    for (let before = -1; accepted !== before && isWithin(TIMEOUT); await nextTurn()) before = accepted
    const fillers = Array.from({ length: FILLERS }, () => connect(localEnd(address)).on('error', () => {}))
    // Node connects in the next tick. Both ends are local, so the system has then connected them, or dropped the
    // attempt.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (const filler of fillers) if (isConnected(filler)) own.add(filler.localPort)
    // Not earlier: to clients beyond the backlog, the system sends SYN cookies, and does not count their handshakes.
    handle?.listen?.(CLOSING_BACKLOG)
    const { queued, handshakes } = pending?.countNow() ?? { queued: FILLERS, handshakes: 0 }
    const isQuiet = handshakes === 0 || !isWithin(HANDSHAKE_TIMEOUT)
    isClosed = (isQuiet && queued === FILLERS && fillers.every(isConnected)) || !isWithin(TIMEOUT)
    if (isClosed) server.close()
    else handle?.listen?.(DEFAULT_BACKLOG)
    for (const filler of fillers) filler.destroy()
    if (!isClosed) await sleep(PAUSE)
  }
  for (const socket of waiting) accept(socket)
}

function isConnected(socket: Socket): boolean {
  const handle = handleOf(socket)
  return handle?.getpeername === undefined ? !socket.destroyed : handle.getpeername({}) === 0
}

function handleOf(owner: Server | Socket): Handle | null {
  return (owner as unknown as { _handle: Handle | null })._handle
}

function localEnd({ address, port }: AddressInfo): { host: string; port: number } {
  return { host: address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address, port }
}
