import type { FastifyError } from 'fastify'
import { AppError, type ErrorCode, WIRE_CODE } from '../lib/errors.ts'
import { inertText } from '../lib/html.ts'
import { problemText } from '../lib/problem-text.ts'
import { text } from '../lib/texts.ts'

/** What Fastify finds wrong before we see the request. */
const OF_FASTIFY: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'rest_payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'rest_unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'rest_bad_request',
  FST_ERR_BAD_URL: 'rest_bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'rest_uri_too_long',
  ECONNRESET: 'rest_bad_request',
}

/** Any error as one that a client can be told of; what is a fault of ours is told as no more than that. */
export function asAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error
  const code = 'code' in error ? OF_FASTIFY[error.code] : undefined
  return new AppError(code ?? 'rest_internal_error')
}

/** The answer to a failed request, in the reader's language. */
export function errorBody(error: AppError, language: string, requestId: string): object {
  const { params = {}, data, fill } = error.details
  const missing = Object.keys(params).filter((name) => params[name]?.problem === 'missing')
  const bad = Object.entries(params).filter(([name]) => !missing.includes(name))
  const told = Object.fromEntries(bad.map(([name, problem]) => [name, inertText(problemText(language, problem))]))
  const names = missing.length > 0 ? missing : Object.keys(told)
  return {
    code: WIRE_CODE[error.code] ?? error.code,
    message: inertText(
      text(language, `errors.${error.code}`, { names: names.join(', '), request_id: requestId, ...fill }),
    ),
    data: {
      status: error.status,
      ...data,
      ...(missing.length > 0 && { params: missing, ...(bad.length > 0 && { invalid_params: told }) }),
      ...(missing.length === 0 && bad.length > 0 && { params: told }),
      ...(error.status >= 500 && { request_id: requestId }),
    },
  }
}
