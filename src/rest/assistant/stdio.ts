import type { Scope } from '../../domain/scope.ts'
import { type Call, type Endpoint, MAIN_MOUNT } from '../../http/endpoint.ts'
import { DEFAULT_LANGUAGE } from '../../lib/texts.ts'
import { assistantServer } from './server.ts'

/** Serves one assistant on standard input and output. Resolves when it has left. */
export async function serveAssistant(endpoints: readonly Endpoint[], scope: Scope): Promise<void> {
  const { home } = scope.site
  const language = scope.site.languages[0] ?? DEFAULT_LANGUAGE
  const call: Call = {
    scope,
    session: null,
    addresses: { home, pages: home, rest: `${home}${MAIN_MOUNT}`, host: new URL(home).hostname, language },
    language,
    method: 'GET',
    header: () => undefined,
    path: '',
    id: Number.NaN,
    slug: '',
    rest: '',
    query: () => ({}),
    body: () => ({}),
    file: () => Promise.reject(new Error('no file was sent')),
    search: new URLSearchParams(),
    sent: '',
    countRequests: () => {},
    version: null,
  }
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const server = await assistantServer(endpoints, call)
  const left = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await left
  await server.close()
}
