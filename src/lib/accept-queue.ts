import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Connections that may wait to be accepted: usually, as Node has it, and when a port is closed; on Linux one more. */
const USUAL_BACKLOG = 511
const BACKLOG = 1
const FILLERS = BACKLOG + 1
/** How long to wait for a moment in which a port can be closed, and between two attempts, in milliseconds. */
const PATIENCE = 2000
const PAUSE = 1

/** What Node has behind a server or socket; not documented, so each part may be missing. */
interface Handle {
  listen?(backlog: number): number
  getpeername?(out: object): number
}

/**
 * Closes a port without resetting a connection. When a port is closed, the system resets connections that wait to be
 * accepted, although their clients may have sent a request. So, when nobody waits, the queue is made short and filled with
 * connections of our own: the system then ignores others, and the port is closed before the event loop accepts ours.
 * Clients that were ignored try again, and are told that nobody listens. Connections that come meanwhile are passed on
 * afterwards: if they were answered before, their clients would connect again and again, and there would be no such moment.
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
  const deadline = performance.now() + PATIENCE
  await nextTurn()
  for (let isClosed = false; !isClosed; ) {
    const isLate = performance.now() > deadline
    const before = accepted
    // Node accepts one connection in a turn of its event loop.
    await nextTurn()
    if (accepted !== before && !isLate) continue
    handle?.listen?.(BACKLOG)
    const fillers = Array.from({ length: FILLERS }, () => connect(target).on('error', () => {}))
    // Node connects in the next tick. As both ends are here, the system has then connected them, or ignored the attempt.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (const { localPort } of fillers) own.add(localPort)
    isClosed = fillers.every(isConnected) || isLate
    if (isClosed) server.close()
    else handle?.listen?.(USUAL_BACKLOG)
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
