import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { withoutSecrets } from '../lib/secrets.ts'
import type { Trace } from './tracing.ts'

/** How long lines wait for others, in milliseconds, and how many do. */
const TOGETHER = 20
const MOST_WAITING = 1000

/** What is logged of an answered request. */
export interface LoggedAnswer {
  /** When, in milliseconds since 1970. */
  readonly time: number
  readonly id: string
  readonly trace: Trace | null
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly status: number
  readonly ms: number
}

/**
 * Logs what was answered from memory, in the same lines as all else. They are put together by hand: an answer from
 * memory takes so little that a logger which can write anything would take a quarter of it.
 */
export function accessLog(app: FastifyInstance): (answered: LoggedAnswer) => void {
  if (!('bindings' in app.log)) return () => {}
  const logger = app.log as Logger
  if (!logger.isLevelEnabled('info')) return () => {}
  const output = (logger as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym]
  const head = Object.entries({ pid: process.pid, hostname: hostname(), ...logger.bindings() })
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('')
  const line = ({ time, id, trace, method, url, ip, status, ms }: LoggedAnswer) => {
    const req = `{"method":"${method}","url":${JSON.stringify(withoutSecrets(url))},"ip":${JSON.stringify(ip)}}`
    const took = Math.round(ms * 10) / 10
    const traced = trace === null ? '' : `,"trace_id":"${trace.trace_id}","parent_id":"${trace.parent_id}"`
    return `{"level":30,"time":${time}${head},"reqId":"${id}"${traced},"req":${req},"res":{"statusCode":${status}},"ms":${took},"msg":"answered"}\n`
  }
  const waiting: LoggedAnswer[] = []
  const flush = () => {
    for (const answered of waiting.splice(0)) output?.write(line(answered))
  }
  app.addHook('onClose', async () => flush())
  return (answered) => {
    waiting.push(answered)
    if (waiting.length === 1) setTimeout(flush, TOGETHER).unref()
    else if (waiting.length >= MOST_WAITING) flush()
  }
}
