import { declare, Refused, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import * as types from './value-types.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A request of a batch. */
export interface BatchRequest {
  readonly method: (typeof METHODS)[number]
  /** Below the namespace, with a query string. */
  readonly path: string
  readonly body: Record<string, unknown>
}

/** Limits on the requests of a batch, and on the length of a path, in UTF-16 units. */
const MAX_REQUESTS = 100
const MAX_PATH = 10_000

const requests: ValueType<BatchRequest[]> = {
  type: 'array',
  schema: Type.Array(
    Type.Object({
      method: Type.Enum([...METHODS]),
      path: Type.String({ minLength: 1, maxLength: MAX_PATH }),
      body: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
    { minItems: 1, maxItems: MAX_REQUESTS },
  ),
  read(raw) {
    if (!Array.isArray(raw) || raw.some((item) => !isData(item))) throw new Refused('not_a_list_of_data')
    if (raw.length > MAX_REQUESTS) throw new Refused('too_many', { most: MAX_REQUESTS })
    return raw.map(readRequest)
  },
}

function readRequest({ method, path, body }: Record<string, unknown>): BatchRequest {
  const name = METHODS.find((one) => one === String(method).toUpperCase())
  if (name === undefined) {
    const problem = { problem: 'not_one_of', allowed: METHODS.join(', ') }
    throw new Refused('bad_data', { details: { method: problem } })
  }
  if (typeof path !== 'string') throw new Refused('bad_data', { details: { path: { problem: 'not_text' } } })
  if (path.length > MAX_PATH)
    throw new Refused('bad_data', { details: { path: { problem: 'too_long', longest: MAX_PATH } } })
  if (body !== undefined && body !== null && !isData(body))
    throw new Refused('bad_data', { details: { body: { problem: 'not_data' } } })
  return { method: name, path, body: (body as Record<string, unknown> | null | undefined) ?? {} }
}

function isData(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Fields of a batch. */
export const batchFields = declare('batch', {
  requests: { kind: requests, required: true },
  atomic: { kind: types.flag, default: false },
})
