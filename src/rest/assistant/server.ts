import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Call, Endpoint } from '../../http/endpoint.ts'
import { asAppError, errorBody } from '../../http/errors.ts'
import { text } from '../../lib/texts.ts'
import { version } from '../../lib/version.ts'
import { toolsOf } from './tools.ts'

/** An MCP server with the rights of a user. The SDK is loaded only when one is made. */
export async function assistantServer(endpoints: readonly Endpoint[], call: Call): Promise<Server> {
  const [{ Server }, { CallToolRequestSchema, ListToolsRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const { language } = call
  const tools = toolsOf(endpoints, language)
  const info = { name: 'kalends', version: version() }
  const instructions = text(language, 'assistant.about')
  const server = new Server(info, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: tools.map(({ name, description, inputSchema, isRead }) => ({
      name,
      description,
      inputSchema: inputSchema as { type: 'object' },
      annotations: { readOnlyHint: isRead, destructiveHint: false },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name)
    try {
      if (tool === undefined) throw new Error(`there is no tool ${params.name}`)
      return shown(await tool.call(call, { ...params.arguments }), call)
    } catch (error) {
      const appError = asAppError(error as Error)
      return { ...shown(errorBody(appError, language, '') as Record<string, unknown>, call), isError: true }
    }
  })
  return server
}

/** A result, as data and as text. Events have their dates in words. */
function shown(body: Record<string, unknown>, { language }: Call) {
  const worded = Array.isArray(body.events)
    ? { ...body, events: body.events.map((event) => inWords(event, language)) }
    : inWords(body, language)
  return { content: [{ type: 'text' as const, text: JSON.stringify(worded, null, 1) }], structuredContent: worded }
}

/** Adds `when`: the start and end of an event in words, by its own clock. */
function inWords(record: Record<string, unknown>, language: string): Record<string, unknown> {
  const { start_date: start, end_date: end, timezone, all_day: isAllDay } = record
  if (typeof start !== 'string' || typeof end !== 'string') return record
  const format = formatOf(language, isAllDay === true)
  const at = (wall: string) => new Date(`${wall.replace(' ', 'T')}Z`)
  return { when: `${format.formatRange(at(start), at(end))} (${String(timezone)})`, ...record }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats of a language are kept: to make one takes longer than to use it. */
function formatOf(language: string, isAllDay: boolean): Intl.DateTimeFormat {
  const key = `${language} ${isAllDay}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, {
      dateStyle: 'full',
      ...(!isAllDay && { timeStyle: 'short' }),
      timeZone: 'UTC',
    })
    formats.set(key, format)
  }
  return format
}
