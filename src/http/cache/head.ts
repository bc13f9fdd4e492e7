import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Headers, Lines } from './cached-response.ts'

const { STATUS_CODES, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

/** Headers as lines; throws if one cannot be a line. */
export function linesOf(headers: Headers): Lines {
  return Object.entries(headers)
    .map(([name, value]) => {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      return `\r\n${name}: ${value}`
    })
    .join('')
}

/** The headers of a head. */
export function headersIn(head: string): [name: string, value: string][] {
  return head
    .split('\r\n')
    .slice(1)
    .map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
}

/** The first line of an answer, with those of its headers. */
export function headWith(status: number, lines: Lines): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}${lines}`
}

/**
 * Gives a response its head as it is sent, with what each answer has of its own. `writeHead` would check and join the
 * same lines for every answer, which takes a sixth of the time of all of it. The property is Node's, and as old as it;
 * should it be gone some day, the caller's `writeHead` does.
 */
export function giveHead(response: ServerResponse, status: number, head: string, id: string): boolean {
  const inside = response as { _header?: string | null }
  // Of a connection that is to end, Node must know.
  if (inside._header !== null || !response.shouldKeepAlive) return false
  response.statusCode = status
  inside._header = `${head}\r\nx-request-id: ${id}\r\nDate: ${date()}\r\nConnection: keep-alive\r\n\r\n`
  return true
}

let present: string | null = null

/** The present second as headers have it. */
function date(): string {
  if (present === null) {
    const now = new Date()
    present = now.toUTCString()
    setTimeout(() => {
      present = null
    }, 1000 - now.getMilliseconds()).unref()
  }
  return present
}

/** How many ids are made at once: one by one, each would take several times as long. */
const AT_ONCE = 128

const ids: string[] = []

/** Names a request, in its answer and in the log. */
export function requestId(): string {
  if (ids.length === 0) for (let n = 0; n < AT_ONCE; n++) ids.push(randomUUID())
  return ids.pop() ?? randomUUID()
}
