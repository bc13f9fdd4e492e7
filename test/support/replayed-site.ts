import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { ROOT } from './sources.ts'

const FOLDER = join(ROOT, 'test/fixtures/old-site')
const CALENDAR = '/tribe/events/v1'
const LISTS = /^\/(events|venues|organizers|categories|tags)\/?$/

/** An application password, with the spaces that WordPress shows it with. */
export const SITE_PASSWORD = 'abcd EFGH ijkl MNOP qrst UVWX'

/** What goes wrong with a request, if anything; `times` says how often its address was asked for before. */
export type Fault = (url: URL, times: number, response: ServerResponse) => boolean

/** A recorded answer. */
export interface Recorded {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** Reads a recorded answer; what a recording does not have is as it was at first. */
export function recorded(recording: string, name: string): Recorded {
  const file = [recording, 'first'].map((folder) => join(FOLDER, folder, `${name}.http`)).find(existsSync)
  const [head = '', body = ''] = readFileSync(file ?? join(FOLDER, 'first/no-route.http'), 'utf8').split('\n\n')
  const [first = '', ...headers] = head.split('\n')
  const parted = headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  return { status: Number(first.split(' ')[1]), headers: parted, body }
}

/** A site that replays recorded answers, with faults in between. */
export class ReplayedSite {
  recording: 'first' | 'later' = 'first'
  fault: Fault = () => false
  readonly asked: { readonly url: URL; readonly authorization: string | undefined; readonly at: number }[] = []
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response))

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()))
    return this.#home
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** The pages of a list that were asked for, in order, from a request on. */
  pages(list: string, since = 0): number[] {
    return this.asked
      .slice(since)
      .filter(({ url }) => routeOf(url).endsWith(`${CALENDAR}/${list}`))
      .map(({ url }) => Number(url.searchParams.get('page')))
  }

  get #home(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.#home)
    const { authorization } = request.headers
    const times = this.asked.filter((one) => one.url.href === url.href).length
    this.asked.push({ url, authorization, at: performance.now() })
    if (this.fault(url, times, response)) return
    if (url.pathname.endsWith('.png')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(await picture(url.pathname.includes('poster')))
      return
    }
    const known = `Basic ${Buffer.from(`editor:${SITE_PASSWORD}`).toString('base64')}`
    const name = authorization !== undefined && authorization !== known ? 'wrong-password' : nameOf(url, authorization)
    const { status, headers, body } = recorded(authorization === undefined ? this.recording : 'signed-in', name)
    response.writeHead(status, headers.flat())
    const home = this.#home
    response.end(
      body
        .replaceAll('https:\\/\\/old.example.org', home.replaceAll('/', '\\/'))
        .replaceAll('old.example.org', url.host),
    )
  }
}

function routeOf(url: URL): string {
  // WordPress ignores a slash at the end.
  return (url.searchParams.get('rest_route') ?? url.pathname.replace(/^\/wp-json/, '')).replace(/\/$/, '')
}

/** The recorded answer to a request. */
function nameOf(url: URL, authorization: string | undefined): string {
  const route = routeOf(url)
  const page = url.searchParams.get('page') ?? '1'
  if (authorization === undefined && url.searchParams.has('status')) return 'refused-status'
  if (route === '/wp/v2/tribe_events') return `posts-${page}`
  if (!route.startsWith(CALENDAR)) return 'no-route'
  const path = route.slice(CALENDAR.length)
  if (path === '') return 'index'
  const [, list] = LISTS.exec(path) ?? []
  if (list === undefined) return path.replace(/^\/events\//, 'event-')
  return existsSync(join(FOLDER, 'first', `${list}-${page}.http`)) ? `${list}-${page}` : 'beyond'
}

const picture = (isPoster: boolean): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: isPoster ? 'red' : 'blue' } })
    .png()
    .toBuffer()
