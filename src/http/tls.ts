import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'

/** How long a client may take to agree on keys, in milliseconds. */
const HANDSHAKE_TIMEOUT = 10_000

/** Paths of the certificate, with its chain, and of its key, in PEM. */
export interface CertificateFiles {
  readonly tlsCert: string
  readonly tlsKey: string
}

/** The certificate or its key cannot be used. The message is one sentence. */
export class CertificateError extends Error {
  readonly code = 'CERTIFICATE'
}

/** Encrypts connections, and passes them on when both sides have agreed on keys. */
export class TlsConnections {
  readonly #files: CertificateFiles
  readonly #server: Server

  constructor(files: CertificateFiles, onConnection: (socket: Socket) => void) {
    this.#files = files
    const options = { minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_TIMEOUT, ALPNProtocols: ['http/1.1'] } as const
    this.#server = usable(() => createServer({ ...options, ...readFiles(files) }, onConnection))
    this.#server.on('tlsClientError', (_, socket) => socket.destroy())
  }

  take(connection: Socket): void {
    this.#server.emit('connection', connection)
  }

  /** Reads the files again, for new connections. If they cannot be used, nothing changes. */
  reload(): void {
    usable(() => this.#server.setSecureContext({ minVersion: 'TLSv1.2', ...readFiles(this.#files) }))
  }
}

function readFiles({ tlsCert, tlsKey }: CertificateFiles): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) }
}

function usable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new CertificateError(`the certificate or its key cannot be used: ${(error as Error).message}`)
  }
}
