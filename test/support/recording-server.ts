import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A server that speaks http and https on one port of this machine, and records the headers that it is sent. */
export interface RecordingServer {
  readonly port: number
  /** Of its https. */
  readonly certificate: string
  readonly received: IncomingMessage[]
  /** Where a path leads to; other paths are answered with `{}`. */
  readonly redirects: Map<string, string>
  close(): Promise<void>
}

/** The first octet of a TLS handshake. */
const HANDSHAKE = 0x16

export async function startRecording(): Promise<RecordingServer> {
  const received: IncomingMessage[] = []
  const redirects = new Map<string, string>()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    received.push(request)
    const location = redirects.get(request.url ?? '')
    if (location !== undefined) response.writeHead(302, { location, 'set-cookie': 'session=1' })
    response.end('{}')
  }
  const { key, certificate } = makeCertificate()
  const plain = createServer(answer)
  const secure = createTlsServer({ key, cert: certificate }, answer)
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('readable', () => {
      const first: Buffer | null = socket.read(1)
      if (first === null) return
      socket.unshift(first)
      ;(first[0] === HANDSHAKE ? secure : plain).emit('connection', socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    certificate,
    received,
    redirects,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function makeCertificate(): { key: string; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-certificate-'))
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
  const flags = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  try {
    execFileSync('openssl', ['req', ...flags, ...names, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
    return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
