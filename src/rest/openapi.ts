import type { Site } from '../domain/scope.ts'
import type { Addresses } from '../http/addresses.ts'
import { type Endpoint, METHODS, type Method } from '../http/endpoint.ts'
import { errorBody } from '../http/errors.ts'
import { AppError, ERRORS, type ErrorCode } from '../lib/errors.ts'
import { text } from '../lib/texts.ts'
import { version } from '../lib/version.ts'
import type { Described, Fields } from '../schema/field.ts'
import { RESPONSES } from '../schema/responses.ts'
import { REQUEST_SAMPLES, responseSamples } from './samples.ts'

type Json = Record<string, unknown>

/** Error responses by status, each with an example. */
const FAILURES: Record<number, ErrorCode> = {
  400: 'rest_invalid_param',
  401: 'incorrect_password',
  403: 'rest_forbidden',
  404: 'rest_no_route',
  409: 'rest_idempotency_key_in_use',
  410: 'event-is-in-trash',
  412: 'rest_precondition_failed',
  413: 'rest_payload_too_large',
  415: 'rest_unsupported_media_type',
  422: 'rest_idempotency_key_reused',
  429: 'rest_too_many_requests',
  500: 'rest_internal_error',
  503: 'rest_unavailable',
  507: 'rest_storage_full',
}

/** OpenAPI 3.1 document, derived from the endpoints and response schemas. */
export function openApi(endpoints: readonly Endpoint[], addresses: Addresses, site: Site, language: string): Json {
  const steps = describing(endpoints, addresses, site, language)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same in steps of few milliseconds. */
export function* describing(
  endpoints: readonly Endpoint[],
  addresses: Addresses,
  site: Site,
  language: string,
): Generator<void, Json> {
  const samples = responseSamples(addresses, site)
  yield
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const item = paths[path] ?? {}
    for (const method of endpoint.methods) {
      item[method.toLowerCase()] = localise(operation(endpoint, method, samples, language), language)
      yield
    }
    paths[path] = item
  }
  const schemas: Json = {}
  for (const [name, schema] of Object.entries({ ...RESPONSES, ...inputSchemas(endpoints) })) {
    schemas[name] = localise(schema, language)
    yield
  }
  return { ...aboutOf(endpoints, addresses, language), paths, components: componentsOf(schemas, language) }
}

/** `info` and other global parts of the document. */
function aboutOf(endpoints: readonly Endpoint[], addresses: Addresses, language: string): Json {
  const groups = [...new Set(endpoints.map(groupOf))]
  return {
    openapi: '3.1.1',
    info: {
      title: 'Kalends',
      version: version(),
      description: text(language, 'documentation.about'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: addresses.rest, description: text(language, 'documentation.server') }],
    tags: groups.map((name) => ({ name, description: text(language, `documentation.groups.${name}`) })),
  }
}

function componentsOf(schemas: Json, language: string): Json {
  const responses = Object.entries(FAILURES).map(([status, code]) => [
    `Failed${status}`,
    localise(failure(code, language), language),
  ])
  return {
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic', description: text(language, 'documentation.basic') },
      token: { type: 'http', scheme: 'bearer', description: text(language, 'documentation.token') },
    },
    schemas,
    responses: Object.fromEntries(responses),
  }
}

const groupOf = ({ name }: Endpoint) => name.split('.')[0] ?? ''

function operation(endpoint: Endpoint, method: Method, samples: Record<string, object>, language: string): Json {
  const { path, parameters, access, name, methods } = endpoint
  const variables = [...path.matchAll(/:(\w+)/g)].map(([, variable]) => variable ?? '')
  const isQuery = method === 'GET' || method === 'DELETE'
  const others = Object.entries(parameters).filter(([parameter]) => !variables.includes(parameter))
  const inPath = variables.map((variable) => pathParameter(variable, parameters))
  const inQuery = isQuery || endpoint.takes ? others.map(([parameter, field]) => parameterOf(parameter, field)) : []
  return {
    operationId: operationId(name, methods.length > 1 && method !== 'PATCH' ? method : null),
    summary: text(language, `operations.${name}`),
    description: descriptionOf(endpoint, language),
    tags: [groupOf(endpoint)],
    parameters: [
      ...inPath,
      ...inQuery,
      ...condition(endpoint, method, language),
      ...idempotency(method, language),
      ...common(method, language),
    ],
    ...(!isQuery &&
      (endpoint.upload || others.length > 0) && {
        requestBody: endpoint.upload ? uploadBody(endpoint) : requestBody(endpoint, parameters),
      }),
    responses: { ...success(endpoint, method, samples, language), ...failures(endpoint, method) },
    security: SECURITY[access],
  }
}

const SECURITY: Record<Endpoint['access'], object[]> = {
  anyone: [{}, { basic: [] }, { token: [] }],
  'signed-in': [{ basic: [] }, { token: [] }],
  'by-password': [{ basic: [] }],
}

/** What an operation does, in sentences: those of its verb, or else its summary. */
function descriptionOf({ name, access }: Endpoint, language: string): string {
  const [, verb = ''] = name.split('.')
  const summary = text(language, `operations.${name}`)
  const more = VERBS.includes(verb) ? ` ${text(language, `documentation.verbs.${verb.replace('-by-slug', '')}`)}` : ''
  return `${summary}${more} ${text(language, `documentation.access.${access.replace('-', '_')}`)}`
}

const VERBS = ['list', 'create', 'get', 'update', 'remove', 'get-by-slug', 'update-by-slug', 'remove-by-slug']

/** Parameters of all operations, and those by which a POST means another method. */
function common(method: Method, language: string): Json[] {
  const fields = { name: '_fields', in: 'query', ...header('fields', language), style: 'form', explode: false }
  const others = METHODS.filter((one) => one !== 'GET' && one !== 'POST')
  const { description } = header('method', language)
  return [
    { ...fields, schema: { type: 'array', items: { type: 'string' } } },
    ...(method === 'POST'
      ? [
          { name: '_method', in: 'query', description, schema: { enum: others } },
          { name: 'X-HTTP-Method-Override', in: 'header', description, schema: { enum: others } },
        ]
      : []),
  ]
}

/** Conditional headers: `If-None-Match` of reads, `If-Match` of changes. */
function condition(endpoint: Endpoint, method: Method, language: string): Json[] {
  const name = method === 'GET' ? 'If-None-Match' : changesOne(endpoint) ? 'If-Match' : null
  return name === null ? [] : [{ name, in: 'header', ...header(name.toLowerCase().replaceAll('-', '_'), language) }]
}

/** Every write takes an `Idempotency-Key`. */
function idempotency(method: Method, language: string): Json[] {
  if (method === 'GET') return []
  const { description } = header('idempotency_key', language)
  return [
    { name: 'Idempotency-Key', in: 'header', description, schema: { type: 'string', minLength: 1, maxLength: 255 } },
  ]
}

function changesOne({ name }: Endpoint): boolean {
  return /^(?!(?:images|users|tokens|webhooks)\.)\w+\.(update|remove)/.test(name)
}

/** `events.get-by-slug` is getEventsBySlug; of the methods that change, PATCH has the plain name. */
function operationId(name: string, method: Method | null): string {
  const [group = '', verb = ''] = name.split('.')
  const [first = '', ...rest] = verb.split('-')
  return first + capital(group) + rest.map(capital).join('') + (method === null ? '' : capital(method.toLowerCase()))
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function parameterOf(name: string, field: Described): Json {
  const list = 'items' in field.kind.schema || name === 'categories' || name === 'tags'
  return {
    name,
    in: 'query',
    description: `fields.${field.text}`,
    schema: {
      ...(list
        ? { type: 'array', items: 'items' in field.kind.schema ? field.kind.schema.items : { type: 'string' } }
        : field.kind.schema),
      ...(field.default !== undefined && { default: field.default }),
    },
    ...(list && { style: 'form', explode: false }),
  }
}

function pathParameter(name: string, parameters: Fields): Json {
  const field = parameters[name]
  return {
    name,
    in: 'path',
    required: true,
    description: `fields.${field?.text}`,
    schema: name === 'id' ? { type: 'integer', minimum: 0 } : { type: 'string', minLength: 1 },
  }
}

/** Name of the schema of a request body: `EventInput` to create, `EventUpdate` to change, `BatchInput` for others. */
function inputName({ name, path }: Endpoint): string {
  const [group = '', verb = ''] = name.split('.')
  const one = group === 'categories' ? 'category' : group.replace(/s$/, '')
  const action = verb.startsWith('update') ? 'Update' : verb === 'import' ? 'Import' : 'Input'
  const isDeeper = path.split('/').filter((part) => part !== '' && !part.startsWith(':')).length > 2
  const special = isDeeper && !['create', 'update', 'update-by-slug'].includes(verb) ? capital(verb) : ''
  return `${capital(one)}${special}${action}`
}

function inputSchemas(endpoints: readonly Endpoint[]): Json {
  const written = endpoints.filter(
    ({ methods, upload, takes, parameters }) =>
      methods.some(isWrite) && (!upload || takes) && bodyFields(parameters).length > 0,
  )
  const schemas: Json = {}
  // Changes by slug have the schema of those by id.
  for (const endpoint of written) schemas[inputName(endpoint)] ??= inputSchema(endpoint)
  return schemas
}

const isWrite = (method: Method) => method !== 'GET' && method !== 'DELETE'

/** Optional fields may be cleared. */
function inputSchema({ parameters }: Endpoint): Json {
  const properties = bodyFields(parameters)
  const required = properties.filter(([, field]) => field.required).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, field]) => [name, property(field)])),
    ...(required.length > 0 && { required }),
  }
}

function bodyFields(fields: Fields): [string, Described][] {
  return Object.entries(fields).filter(([, field]) => !field.text.startsWith('path.'))
}

/** Request bodies as JSON or form. */
function requestBody(endpoint: Endpoint, fields: Fields): Json {
  const example = endpoint.name.endsWith('.create') ? REQUEST_SAMPLES[groupOf(endpoint)] : undefined
  const schema = { $ref: `#/components/schemas/${inputName(endpoint)}` }
  const encoding = encodingOf(fields)
  return {
    required: bodyFields(fields).some(([, field]) => field.required),
    content: {
      'application/json': { schema, ...(example && { example }) },
      'application/x-www-form-urlencoded': { schema, ...(Object.keys(encoding).length > 0 && { encoding }) },
      ...(!endpoint.upload && { 'multipart/form-data': multipart(fields) }),
    },
  }
}

/** How forms write lists and nested data: `tags[]=a&tags[]=b`, `venue[city]=Lyon`. */
function encodingOf(fields: Fields): Json {
  const nested = bodyFields(fields).filter(([, { kind }]) => kind.type === 'array' || kind.type === 'object')
  return Object.fromEntries(nested.map(([name]) => [name, { style: 'deepObject', explode: true }]))
}

const FILE = { type: 'string', contentMediaType: 'application/octet-stream' }

/** Multipart body: the same fields, and the image may be a file. */
function multipart(fields: Fields): Json {
  return {
    schema: { type: 'object', ...(fields.image && { properties: { image: FILE } }), additionalProperties: true },
    ...(fields.image && { encoding: { image: { contentType: 'image/*' } } }),
  }
}

function property({ kind, text: key, required, default: preset }: Described): Json {
  // Not as `default`: generators would require the field.
  const described = { 'x-text': `fields.${key}`, ...(preset !== undefined && { 'x-default': preset }) }
  const further = [...(kind.accepts ?? []), ...(required ? [] : CLEARING)]
  return further.length === 0
    ? { ...kind.schema, ...described }
    : { anyOf: [kind.schema, ...further], 'x-spellings': true, ...described }
}

const CLEARING = [{ type: 'null' }, { const: '' }, { type: 'array', items: { enum: [null, ''] } }]

function uploadBody(endpoint: Endpoint): Json {
  if (endpoint.takes) {
    const { content } = requestBody(endpoint, endpoint.parameters)
    const files = endpoint.takes.map((type) => [type, { schema: { type: 'string' } }])
    return { required: true, content: { ...(content as Json), ...Object.fromEntries(files) } }
  }
  const binary = { schema: FILE }
  const form = { schema: { type: 'object', properties: { file: FILE } } }
  return {
    required: true,
    content: { 'application/octet-stream': binary, 'image/*': binary, 'multipart/form-data': form },
  }
}

function success({ answers, name }: Endpoint, method: Method, samples: Record<string, object>, language: string): Json {
  const created = method === 'POST' && name.endsWith('.create')
  const list = answers.endsWith('List')
  const headers = {
    ETag: header('etag', language),
    ...(created && { Location: header('location', language) }),
    ...(list && {
      'X-TEC-Total': header('total', language),
      'X-TEC-TotalPages': header('total_pages', language),
      Link: header('link', language),
    }),
  }
  const schema = { $ref: `#/components/schemas/${answers}` }
  return {
    [created ? '201' : '200']: {
      description: text(language, `documentation.${created ? 'created' : 'done'}`),
      headers,
      content: {
        'application/json': {
          schema,
          ...(samples[answers] && { example: samples[answers] }),
        },
        ...(answers === 'Document' && { 'application/yaml': { schema } }),
      },
    },
    ...(method === 'GET' && { 304: { description: text(language, 'documentation.unchanged') } }),
  }
}

function header(name: string, language: string): Json {
  return { description: text(language, `documentation.headers.${name}`), schema: { type: 'string' } }
}

/** Error responses of an operation. */
function failures(endpoint: Endpoint, method: Method): Json {
  const { access, path, name, methods } = endpoint
  const writes = access !== 'anyone' && method !== 'GET'
  const statuses = [
    400,
    401,
    429,
    500,
    503,
    ...(path.includes(':') || name.endsWith('.list') ? [404] : []),
    ...(access !== 'anyone' || path.includes(':') ? [403] : []),
    ...(writes ? [507] : []),
    ...(writes && method !== 'DELETE' ? [413, 415] : []),
    ...(methods.includes('DELETE') && !/^(categories|tags|images)/.test(name) ? [410] : []),
    ...(method === 'GET' ? [] : [409, 422]),
    ...(changesOne(endpoint) ? [412] : []),
  ]
  return Object.fromEntries(
    statuses.sort().map((status) => [status, { $ref: `#/components/responses/Failed${status}` }]),
  )
}

function failure(code: ErrorCode, language: string): Json {
  const example = errorBody(
    new AppError(code, code === 'rest_invalid_param' ? { params: { start_date: { problem: 'not_a_date' } } } : {}),
    language,
    '0b5c2d1e-7a36-4c58-9d7b-2f6a1c3e4d5f',
  )
  return {
    description: text(language, `documentation.failures.${ERRORS[code]}`),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, example },
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  }
}

/** Replaces text keys in descriptions and `x-text` by translations. */
function localise(value: unknown, language: string): unknown {
  if (Array.isArray(value)) return value.map((item) => localise(item, language))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, part]) => {
    if (part === undefined) return []
    if (key === 'x-text') return [['description', text(language, String(part))]]
    if (key === 'description' && typeof part === 'string' && /^fields\.\w+\.\w+$/.test(part))
      return [[key, text(language, part)]]
    return [[key, key === 'example' ? part : localise(part, language)]]
  })
  return Object.fromEntries(entries)
}
