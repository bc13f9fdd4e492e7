import type { Answer, Call, Endpoint, View } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { preload } from '../../lib/lazy.ts'
import { assistantServer } from './server.ts'

// In steps: all at once would hold up other requests for long.
preload(() => import('@modelcontextprotocol/sdk/types.js'))
preload(() => import('@modelcontextprotocol/sdk/validation/ajv'))
preload(() => import('@modelcontextprotocol/sdk/server/index.js'))
preload(() => import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'))

/** Limit on the values of a message: each is looked at several times. An event with all its links has a few thousand. */
const MAX_VALUES = 5000

/** `/mcp`: the Model Context Protocol over streamable HTTP, without sessions. Each request is answered by itself. */
export function assistantViews(endpoints: readonly Endpoint[]): View[] {
  return [
    { path: '/mcp', methods: ['GET', 'POST'], writes: true, way: 'rest', handle: (call) => answer(endpoints, call) },
  ]
}

async function answer(endpoints: readonly Endpoint[], call: Call): Promise<Answer> {
  if (call.scope.user === null) throw new AppError('rest_not_signed_in')
  // There is nothing to be told without being asked.
  if (call.method !== 'POST') throw new AppError('rest_method_not_allowed')
  const { WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  )
  const parsedBody = call.body()
  if (countValues(parsedBody) > MAX_VALUES) throw new AppError('rest_too_many_fields', { fill: { most: MAX_VALUES } })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = await assistantServer(endpoints, call)
  await server.connect(transport)
  try {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const request = new Request(`${call.addresses.home}/mcp`, { method: 'POST', headers })
    const response = await transport.handleRequest(request, { parsedBody })
    const type = response.headers.get('content-type') ?? 'application/json'
    return { status: response.status, secret: true, headers: { 'content-type': type }, body: await response.text() }
  } finally {
    await server.close()
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + countValues(one), 1)
}
