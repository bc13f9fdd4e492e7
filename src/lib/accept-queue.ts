import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Backlog of a listening socket: Node's default, and while the port is being closed. Linux allows one more. */
const DEFAULT_BACKLOG = 511
const CLOSING_BACKLOG = 1
const FILLERS = CLOSING_BACKLOG + 1
/** Timeout for closing a port gracefully, and pause between attempts, in milliseconds. */
const TIMEOUT = 2000
const PAUSE = 1

/** Node's internal handle of a server or socket. It is not documented, so each part may be missing. */
interface Handle {
  listen?(backlog: number): number
  getpeername?(out: object): number
}

/**
 * Closes a port without resetting a connection. When a port is closed, the system resets connections in its accept
 * queue, although their clients may have sent a request. So, while the queue is empty, its backlog is reduced and
 * filled with connections of our own: the system then drops further SYN packets, and the port is closed before the
 * event loop accepts ours. Clients that were dropped retry, and get "connection refused". Connections accepted
 * meanwhile are handled afterwards: if they were answered before, their clients would reconnect at once, and the queue
 * would never be empty.
 */
export async function closePort(server: Server, accept: (socket: Socket) => void): Promise<void> {
  const own = new Set<number | undefined>()
  const waiting: Socket[] = []
  let accepted = 0
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    accepted++
    if (own.has(socket.remotePort)) socket.destroy()
    else waiting.push(socket.on('error', () => {}))
  })
  const target = addressOf(server)
  const handle = handleOf(server)
  const deadline = performance.now() + TIMEOUT
  await nextTurn()
  for (let isClosed = false; !isClosed; ) {
    const isLate = performance.now() > deadline
    const before = accepted
    // Node accepts one connection per turn of its event loop.
    await nextTurn()
    if (accepted !== before && !isLate) continue
    handle?.listen?.(CLOSING_BACKLOG)
    const fillers = Array.from({ length: FILLERS }, () => connect(target).on('error', () => {}))
    // Node connects in the next tick. Both ends are local, so the system has then connected them, or dropped the
    // attempt.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (const { localPort } of fillers) own.add(localPort)
    isClosed = fillers.every(isConnected) || isLate
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

function addressOf(server: Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo
  return { host: address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address, port }
}
