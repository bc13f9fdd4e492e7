import { Agent, request as send } from 'node:http'
import type { Request } from './load.ts'
import type { Running } from './processes.ts'

/** How many connections ask for what is asked for once. */
const READERS = 8

/** What some requests came to, each sent once. */
export interface Once {
  /** Processor time an answer, in seconds. */
  readonly cost: number
  /** Answers a second. */
  readonly rate: number
  /** In milliseconds; the first answer of each connection is not among them. */
  readonly times: readonly number[]
  readonly failed: number
}

/** The first request for each address. */
export function distinct(requests: readonly Request[]): Request[] {
  const byPath = new Map<string, Request>()
  for (const request of requests) if (!byPath.has(request.path)) byPath.set(request.path, request)
  return [...byPath.values()]
}

/** Sends each request once, over some connections that stay open; stops after some seconds, if they are given. */
export async function sendOnce(
  program: Running,
  requests: readonly Request[],
  connections = READERS,
  seconds = Number.POSITIVE_INFINITY,
): Promise<Once> {
  const times: number[] = []
  const began = performance.now()
  const before = program.cpu()
  let next = 0
  let failed = 0
  const connection = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let isFirst = true; next < requests.length && performance.now() - began < seconds * 1000; isFirst = false) {
      const from = performance.now()
      const status = await answerTo(program.url, requests[next++] as Request, agent)
      if (status >= 400) failed++
      if (!isFirst) times.push(performance.now() - from)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const rate = next / ((performance.now() - began) / 1000)
  return { cost: (program.cpu() - before) / next, rate, times: times.sort((a, b) => a - b), failed }
}

/** Sends a request, and reads its answer to the end; answers its status. */
function answerTo(url: string, { path, body, ...rest }: Request, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const headers = { ...rest.headers, ...length }
    const sent = send(url + path, { ...rest, headers, agent }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode ?? 500)),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
