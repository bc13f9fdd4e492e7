import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Instant } from '../../calendar/zone.ts'
import type { HeaderLines, Headers } from './cached-response.ts'

const { STATUS_CODES, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

/** Serializes headers. Throws if a name or value is not allowed in a header. */
export function serializeHeaders(headers: Headers): HeaderLines {
  let lines = ''
  for (const [name, value] of Object.entries(headers)) lines += lineOf(name, value)
  return lines
}

const sharedLines = new WeakMap<Headers, HeaderLines>()

/** Serializes headers that many responses share, as one object, and those of one response, which override them. */
export function serializeWithShared(shared: Headers, own: Headers): HeaderLines {
  for (const name in own) if (name in shared) return serializeHeaders({ ...shared, ...own })
  let lines = sharedLines.get(shared)
  if (lines === undefined) {
    lines = serializeHeaders(shared)
    sharedLines.set(shared, lines)
  }
  return lines + serializeHeaders(own)
}

/** The last line of each name: most are the same in every response. */
const lastLines = new Map<string, { readonly value: string; readonly line: string }>()

function lineOf(name: string, value: string): string {
  const last = lastLines.get(name)
  if (last?.value === value) return last.line
  validateHeaderName(name)
  validateHeaderValue(name, value)
  const line = `\r\n${name}: ${value}`
  lastLines.set(name, { value, line })
  return line
}

/** Parses the headers of a head. */
export function parseHeaders(head: string): [name: string, value: string][] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
}

/** Joins the status line and header lines. */
export function joinHead(status: number, lines: HeaderLines): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}${lines}`
}

/**
 * Writes the head of a response directly, with the per-request headers. `writeHead` would validate and join the same
 * lines for every response, at a sixth of its total cost. `_header` is an internal property of Node, and as old as
 * Node; if it disappears, this returns false and the caller uses `writeHead`.
 */
export function writeRawHead(response: ServerResponse, status: number, head: string, id: string): boolean {
  const internals = response as { _header?: string | null }
  // Closing connection: let Node write the headers.
  if (internals._header !== null || !response.shouldKeepAlive) return false
  response.statusCode = status
  internals._header = `${head}\r\nx-request-id: ${id}\r\nDate: ${headerDate(Math.floor(Date.now() / 1000))}\r\nConnection: keep-alive\r\n\r\n`
  return true
}

let lastDate = { of: 0, text: '' }

/** A time as headers write it, formatted once per second: most responses of a second have the same. */
export function headerDate(instant: Instant): string {
  if (lastDate.of !== instant) lastDate = { of: instant, text: new Date(instant * 1000).toUTCString() }
  return lastDate.text
}

/** Ids generated per batch. One by one, each would take several times as long. */
const ID_BATCH = 128

const ids: string[] = []

/** Request id, for the response header and the log. */
export function requestId(): string {
  if (ids.length === 0) for (let n = 0; n < ID_BATCH; n++) ids.push(randomUUID())
  return ids.pop() ?? randomUUID()
}
