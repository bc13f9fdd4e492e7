import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Connections that may wait to be accepted while a port is being closed: on Linux one more than this. */
const BACKLOG = 1
const FILLERS = BACKLOG + 1
/** How long to wait for a moment in which a port can be closed, and between two attempts, in milliseconds. */
const PATIENCE = 1000
const PAUSE = 5

/** What Node has behind a server or socket; not documented, so each part may be missing. */
interface Handle {
  listen?(backlog: number): number
  getpeername?(out: object): number
}

/**
 * Closes a port without resetting a connection. When a port is closed, the system resets connections that wait to be
 * accepted, although their clients may have sent a request. So the queue is made short and filled with connections of our
 * own: the system then ignores others, and the port is closed before the event loop can accept ours. Clients that were
 * ignored try again, and are told that nobody listens.
 */
export async function closePort(server: Server, accept: (socket: Socket) => void): Promise<void> {
  const own = new Set<number | undefined>()
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    if (own.has(socket.remotePort)) socket.destroy()
    else accept(socket)
  })
  handleOf(server)?.listen?.(BACKLOG)
  const target = addressOf(server)
  const deadline = performance.now() + PATIENCE
  for (let isClosed = false; !isClosed; ) {
    const fillers = Array.from({ length: FILLERS }, () => connect(target).on('error', () => {}))
    // Node connects in the next tick; on one machine the system has then connected both ends, or ignored the attempt.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (const { localPort } of fillers) own.add(localPort)
    isClosed = fillers.every(isConnected) || performance.now() > deadline
    if (isClosed) server.close()
    else await sleep(PAUSE)
    for (const filler of fillers) filler.destroy()
  }
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
