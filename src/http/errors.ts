import type { FastifyError } from 'fastify'
import { AppError, type ErrorCode, WIRE_CODE } from '../lib/errors.ts'
import { inertText } from '../lib/html.ts'
import { problemText } from '../lib/problem-text.ts'
import { text } from '../lib/texts.ts'

/** Errors that Fastify raises before routing. */
const FASTIFY_ERRORS: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'rest_payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'rest_unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'rest_bad_request',
  FST_ERR_BAD_URL: 'rest_bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'rest_uri_too_long',
  ECONNRESET: 'rest_bad_request',
}

/** Converts any error to an AppError. Errors of ours become 500 without details. */
export function asAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error
  const code = 'code' in error ? FASTIFY_ERRORS[error.code] : undefined
  return new AppError(code ?? 'rest_internal_error')
}

/** Body of an error response, in the reader's language. */
export function errorBody(error: AppError, language: string, requestId: string): object {
  const { params = {}, data, fill } = error.details
  const missing = Object.keys(params).filter((name) => params[name]?.problem === 'missing')
  const bad = Object.entries(params).filter(([name]) => !missing.includes(name))
  const messages = Object.fromEntries(bad.map(([name, problem]) => [name, inertText(problemText(language, problem))]))
  const names = missing.length > 0 ? missing : Object.keys(messages)
  return {
    code: WIRE_CODE[error.code] ?? error.code,
    message: inertText(
      text(language, `errors.${error.code}`, { names: names.join(', '), request_id: requestId, ...fill }),
    ),
    data: {
      status: error.status,
      ...data,
      ...(missing.length > 0 && { params: missing, ...(bad.length > 0 && { invalid_params: messages }) }),
      ...(missing.length === 0 && bad.length > 0 && { params: messages }),
      ...(error.status >= 500 && { request_id: requestId }),
    },
  }
}
