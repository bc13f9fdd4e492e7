import { ERRORS } from '../lib/errors.ts'
import { text } from '../lib/texts.ts'
import type { Described, Fields } from '../schema/field.ts'
import type { Addresses, Endpoint } from './endpoint.ts'

type Json = Record<string, unknown>

/** The interface as OpenAPI 3.1, made from the endpoints that serve it. */
export function openApi(endpoints: readonly Endpoint[], { rest }: Addresses, language: string): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/, '{$1}')
    const item = paths[path] ?? {}
    for (const method of endpoint.methods) item[method.toLowerCase()] = operation(endpoint, method, language)
    paths[path] = item
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Kalends', version: '1', description: text(language, 'documentation.about') },
    servers: [{ url: rest }],
    paths,
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' }, token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema() },
    },
  }
}

function operation(endpoint: Endpoint, method: string, language: string): Json {
  const { path, parameters, access, name } = endpoint
  const variable = /:(\w+)/.exec(path)?.[1]
  const others = Object.entries(parameters).filter(([parameter]) => parameter !== variable)
  const isQuery = method === 'GET' || method === 'DELETE'
  const query = isQuery ? others.map(([parameter, field]) => parameterOf(parameter, field, 'query', language)) : []
  const inPath = variable === undefined ? [] : [pathParameter(variable, parameters, language)]
  return {
    operationId: endpoint.methods.length > 1 ? `${name}.${method.toLowerCase()}` : name,
    summary: text(language, `operations.${name}`),
    parameters: [...inPath, ...query],
    ...(!isQuery && { requestBody: requestBody(parameters, language) }),
    responses: {
      [method === 'POST' && variable === undefined ? '201' : '200']: {
        description: text(language, 'documentation.done'),
      },
      default: {
        description: text(language, 'documentation.failed'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    security: access === 'anyone' ? [{}, { basic: [] }, { token: [] }] : [{ basic: [] }, { token: [] }],
  }
}

function parameterOf(name: string, field: Described, where: 'query' | 'path', language: string): Json {
  return {
    name,
    in: where,
    required: where === 'path',
    description: text(language, `fields.${field.text}`),
    schema: { ...field.kind.schema, ...(field.default !== undefined && { default: field.default }) },
  }
}

function pathParameter(name: string, parameters: Fields, language: string): Json {
  const field = parameters[name]
  return field === undefined
    ? { name, in: 'path', required: true, schema: { type: 'string' } }
    : parameterOf(name, field, 'path', language)
}

function requestBody(fields: Fields, language: string): Json {
  const properties = Object.entries(fields).map(([name, field]) => [
    name,
    {
      ...field.kind.schema,
      description: text(language, `fields.${field.text}`),
      ...(field.default !== undefined && { default: field.default }),
    },
  ])
  const required = Object.entries(fields)
    .filter(([, field]) => field.required)
    .map(([name]) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  }
  return { content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } } }
}

function errorSchema(): Json {
  return {
    type: 'object',
    required: ['code', 'message', 'data'],
    properties: {
      code: { type: 'string', examples: Object.keys(ERRORS).slice(0, 3) },
      message: { type: 'string' },
      data: { type: 'object', required: ['status'], properties: { status: { type: 'integer' }, params: {} } },
    },
  }
}
