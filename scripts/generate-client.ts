import { writeFileSync } from 'node:fs'
import { endpoints } from '../src/rest/endpoints.ts'
import { openApi } from '../src/rest/openapi.ts'

/** Makes the types of packages/client from the OpenAPI document. A test fails while they are out of date. */

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly maxItems?: number
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
  readonly 'x-spellings'?: boolean
}

interface Operation {
  readonly parameters: readonly { name: string; in: string; required?: boolean; description: string; schema: Schema }[]
  readonly requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { schemas: Record<string, Schema> }
}

export const FILE = new URL('../packages/client/src/types.ts', import.meta.url)

/** The text of the file. */
export function generate(): string {
  const addresses = {
    home: 'https://calendar.example.org',
    pages: 'https://calendar.example.org',
    rest: 'https://calendar.example.org/calendar/events/v1',
    host: 'calendar.example.org',
    language: 'en',
  }
  const document = openApi(
    endpoints,
    addresses,
    {
      timezone: 'UTC',
      currency: '$',
      clock: null,
      weekStart: null,
      home: addresses.home,
      name: 'Kalends',
      isNamed: false,
      languages: ['en'],
      familyTerms: [],
      seriesYears: 2,
      maxPerPage: 50,
      wordpressRoot: null,
      suggest: false,
      dateOrder: 'dmy',
      isSetUp: false,
      fixed: {},
      design: { logo: '', logoFile: null, accent: '', stylesheet: '', tiles: '' },
    },
    'en',
  ) as unknown as Document
  const parts = ['// Made by scripts/generate-client.ts from the OpenAPI document: do not edit.\n']
  for (const [name, schema] of Object.entries(document.components.schemas)) parts.push(declaration(name, schema))
  for (const [path, { get }] of Object.entries(document.paths)) {
    const list = /^\/(\w+)$/.exec(path)?.[1]
    if (list === undefined || list === 'doc' || list === 'import' || get === undefined) continue
    const singular = list === 'categories' ? 'Category' : list.charAt(0).toUpperCase() + list.slice(1).replace(/s$/, '')
    const asked = get.parameters.filter((parameter) => parameter.in === 'query' && !parameter.name.startsWith('_'))
    const parameters = asked.map(({ name, description, schema }) => [name, { ...schema, description }] as const)
    parts.push(
      declaration(`${singular}ListParameters`, {
        type: 'object',
        description: `What a list of ${list} may be asked for.`,
        properties: Object.fromEntries(parameters),
      }),
    )
  }
  return `${parts.join('\n')}`
}

function declaration(name: string, schema: Schema): string {
  return `${comment(schema, '')}export interface ${name} ${object(schema, '')}\n`
}

function object(schema: Schema, indent: string): string {
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?'
    const key = /^[\w$]+$/.test(name) ? name : `'${name}'`
    return `${comment(property, `${indent}  `)}${indent}  ${key}${optional}: ${type(property, `${indent}  `)}`
  })
  const more = schema.additionalProperties
  if (more === true) lines.push(`${indent}  [key: string]: unknown`)
  else if (typeof more === 'object') lines.push(`${indent}  [key: string]: ${type(more, `${indent}  `)}`)
  return lines.length === 0 ? 'Record<string, unknown>' : `{\n${lines.join('\n')}\n${indent}}`
}

/** Of several spellings a program writes the first. */
function type(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  if (schema.anyOf !== undefined) {
    const [first] = schema.anyOf
    if (schema['x-spellings'] && first !== undefined)
      return type(first, indent) + (schema.anyOf.some((one) => one.type === 'null') ? ' | null' : '')
    return [...new Set(schema.anyOf.map((one) => type(one, indent)))].join(' | ')
  }
  if (schema.type === 'array')
    return schema.maxItems === 0 ? 'never[]' : `Array<${schema.items ? type(schema.items, indent) : 'unknown'}>`
  if (schema.type === 'object') return object(schema, indent)
  const plain: Record<string, string> = {
    string: 'string',
    integer: 'number',
    number: 'number',
    boolean: 'boolean',
    null: 'null',
  }
  return plain[schema.type ?? ''] ?? 'unknown'
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description} */\n`
}

if (import.meta.main) writeFileSync(FILE, generate())
