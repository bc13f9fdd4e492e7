/** A line of the log, as pino writes it. */
interface LogLine {
  readonly level?: number
  readonly time?: number
  readonly msg?: string
  readonly req?: { readonly method?: string; readonly url?: string; readonly ip?: string }
  readonly res?: { readonly statusCode?: number }
  readonly ms?: number
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string }
  readonly [name: string]: unknown
}

const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }
/** Fields that have a place of their own, or that a person at a terminal does not need. */
const OMITTED = new Set([
  'level',
  'time',
  'pid',
  'hostname',
  'msg',
  'req',
  'res',
  'ms',
  'err',
  'reqId',
  'trace_id',
  'parent_id',
])
/** Colours of levels on a terminal. */
const COLOURS: Record<string, string> = { warn: '\x1b[33m', error: '\x1b[31m', fatal: '\x1b[31m' }
const PLAIN = '\x1b[0m'

/**
 * Writes a line of the log for people: one line with time (UTC), level, message and details. Whatever is not JSON stays as it
 * is.
 */
export function readableLine(json: string, hasColours = false): string {
  let line: LogLine
  try {
    line = JSON.parse(json)
  } catch {
    return json
  }
  const level = LEVELS[line.level ?? 30] ?? 'info'
  const time = new Date(line.time ?? Date.now()).toISOString().slice(11, 19)
  const colour = hasColours ? COLOURS[level] : undefined
  const shown = colour === undefined ? level.padEnd(5) : `${colour}${level.padEnd(5)}${PLAIN}`
  const parts = [request(line) ?? line.msg ?? '', details(line), failure(line)].filter((part) => part !== '')
  return `${time} ${shown} ${printable(parts.join('  '))}\n`
}

/** `GET /events/ 200, 12.3 ms` in place of "answered". */
function request({ req, res, ms, msg }: LogLine): string | null {
  if (req === undefined || res === undefined) return null
  const took = ms === undefined ? '' : `, ${ms} ms`
  return `${req.method} ${req.url} ${res.statusCode}${took}${req.ip === undefined ? '' : `, ${req.ip}`}${msg === 'answered' ? '' : `  ${msg}`}`
}

function details(line: LogLine): string {
  return Object.entries(line)
    .filter(([name, value]) => !OMITTED.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

/** The error, and where it was thrown. */
function failure({ err }: LogLine): string {
  if (err === undefined) return ''
  const place = /^ +at (.+)$/m.exec(err.stack ?? '')?.[1]
  return `${err.type ?? 'Error'}: ${err.message ?? ''}${place === undefined ? '' : ` (at ${place})`}`
}

/** A request must not write lines of its own, nor control the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be written
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
}
