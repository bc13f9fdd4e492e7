import { type AppError, WIRE_CODE } from '../lib/errors.ts'
import { inertText } from '../lib/html.ts'
import { problemText } from '../lib/problem-text.ts'
import { errorBody } from './errors.ts'

// Not imported: see answer.ts.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Whether `Accept` names problem details, and does not exclude them. */
export function asksForProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('problem+json')) return false
  const asked = accept.split(',').find((one) => /^\s*application\/problem\+json\b/i.test(one))
  return asked !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i.test(asked)
}

/** An error as problem details (RFC 9457). `params` has the reason for each refused parameter. */
export function problemBody(error: AppError, language: string, requestId: string): object {
  const { message, data } = errorBody(error, language, requestId) as { message: string; data: Record<string, unknown> }
  const { params: _, invalid_params: __, status, ...more } = data
  const params = Object.entries(error.details.params ?? {})
  return {
    type: 'about:blank',
    title: STATUS_CODES[error.status],
    status,
    detail: message,
    code: WIRE_CODE[error.code] ?? error.code,
    params: Object.fromEntries(params.map(([name, problem]) => [name, inertText(problemText(language, problem))])),
    ...more,
  }
}
