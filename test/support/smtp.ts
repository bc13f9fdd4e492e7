import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A letter as a mail server takes it. */
export interface Taken {
  readonly from: string
  readonly to: readonly string[]
  /** Header fields by lower-case name, unfolded; one that is there twice is a list of two. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: string
}

/** A mail server that keeps what it takes (RFC 5321). */
export interface MailServer {
  readonly url: string
  readonly taken: readonly Taken[]
  /** Waits until so many letters were taken, and returns them, in the order of their recipients. */
  letters(count: number): Promise<readonly Taken[]>
  clear(): void
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const taken: Taken[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    converse(socket, (letter) => {
      taken.push(letter)
      for (const look of waiting) look()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    async letters(count) {
      await new Promise<void>((done) => {
        const look = () => {
          if (taken.length < count) return
          waiting.delete(look)
          done()
        }
        waiting.add(look)
        look()
      })
      return [...taken].sort((one, other) => String(one.to).localeCompare(String(other.to)))
    },
    clear: () => void taken.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function converse(socket: Socket, take: (letter: Taken) => void): void {
  let buffered = ''
  let data: string[] | null = null
  let from = ''
  let to: string[] = []
  const say = (line: string) => socket.write(`${line}\r\n`)
  const command = (line: string) => {
    const address = /<([^<>]*)>/.exec(line)?.[1] ?? ''
    if (/^(EHLO|HELO)/i.test(line)) return say('250 mail.example.org')
    if (/^MAIL FROM/i.test(line)) from = address
    else if (/^RCPT TO/i.test(line)) to.push(address)
    else if (/^DATA/i.test(line)) {
      data = []
      return say('354 go on')
    } else if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n')
    say('250 OK')
  }
  const content = (lines: string[], line: string) => {
    if (line !== '.') return lines.push(line.replace(/^\./, ''))
    data = null
    take({ from, to, ...parse(lines) })
    to = []
    return say('250 taken')
  }
  say('220 mail.example.org')
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1')
    for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      if (data === null) command(line)
      else content(data, line)
    }
  })
}

function parse(lines: readonly string[]): Pick<Taken, 'headers' | 'body'> {
  const end = lines.indexOf('')
  const headers: Record<string, string[]> = {}
  const unfolded = lines
    .slice(0, end)
    .join('\r\n')
    .replace(/\r\n(?=[ \t])/g, '')
  for (const line of unfolded.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    headers[name.toLowerCase()] = [...(headers[name.toLowerCase()] ?? []), decodeWords(value)]
  }
  const encoding = headers['content-transfer-encoding']?.[0] ?? '7bit'
  return { headers, body: decodeBody(lines.slice(end + 1).join('\n'), encoding) }
}

function decodeBody(text: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(text, 'base64').toString()
  return /quoted/i.test(encoding) ? quoted(text.replace(/=\n/g, '')) : Buffer.from(text, 'latin1').toString()
}

/** Words in other letters than ASCII (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      /b/i.test(kind) ? Buffer.from(text, 'base64').toString() : quoted(text.replaceAll('_', ' ')),
    )
}

function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
