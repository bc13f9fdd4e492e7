/**
 * Error codes of the REST interface, with their HTTP status. The message is the text `errors.<code>` in the reader's
 * language.
 */
export const ERRORS = {
  rest_no_route: 404,
  rest_method_not_allowed: 405,
  rest_forbidden: 403,
  rest_not_signed_in: 401,
  rest_token_forbidden: 403,
  rest_origin_forbidden: 403,
  rest_cookie_invalid_nonce: 403,
  incorrect_password: 401,
  rest_invalid_param: 400,
  rest_missing_callback_param: 400,
  rest_invalid_json: 400,
  rest_bad_request: 400,
  rest_too_many_fields: 400,
  rest_request_timeout: 408,
  rest_idempotency_key_in_use: 409,
  rest_idempotency_key_reused: 422,
  rest_not_in_batch: 400,
  rest_batch_too_long: 400,
  rest_batch_rolled_back: 424,
  rest_precondition_failed: 412,
  rest_payload_too_large: 413,
  rest_uri_too_long: 414,
  rest_unsupported_media_type: 415,
  rest_too_many_requests: 429,
  rest_headers_too_large: 431,
  rest_internal_error: 500,
  rest_unavailable: 503,
  rest_storage_full: 507,
  'rest-event-not-found': 404,
  'event-damaged': 404,
  'event-not-accessible': 403,
  'event-no-longer-available': 403,
  'event-password-protected': 403,
  'event-is-in-trash': 410,
  'event-archive-page-not-found': 404,
  'venue-not-found': 404,
  'venue-not-accessible': 403,
  'venue-is-in-trash': 410,
  'venue-archive-page-not-found': 404,
  'organizer-not-found': 404,
  'organizer-not-accessible': 403,
  'organizer-is-in-trash': 410,
  'organizer-archive-page-not-found': 404,
  'user-not-found': 404,
  'token-not-found': 404,
  'user-archive-page-not-found': 404,
  'image-not-found': 404,
  'draft-quota-exceeded': 403,
  'upload-quota-exceeded': 403,
  'image-in-use': 409,
  'image-archive-page-not-found': 404,
  rest_term_invalid: 404,
  'term-archive-page-not-found': 404,
  'changes-token-expired': 410,
  'webhook-not-found': 404,
  'webhook-archive-page-not-found': 404,
  'delivery-not-found': 404,
  'audit-archive-page-not-found': 404,
  'version-not-found': 404,
  term_exists: 400,
  duplicate_term_slug: 400,
} as const

export type ErrorCode = keyof typeof ERRORS

/**
 * Codes that differ on the wire: whoever may not do something gets the same code, with a status and message of its own.
 */
export const WIRE_CODE: Partial<Record<ErrorCode, string>> = {
  rest_not_signed_in: 'rest_forbidden',
  rest_token_forbidden: 'rest_forbidden',
}

/** Why a value was refused: a text key below `problems.`, and values for its placeholders. */
export interface Problem {
  readonly problem: string
  readonly [detail: string]: string | number | Problems
}

/** Refused parameters of a request, by name. */
export type Problems = Record<string, Problem>

export interface ErrorDetails {
  /** Refused parameters. The problem of a missing one is `missing`. */
  readonly params?: Problems
  /** Further keys of `data` in the response. */
  readonly data?: Record<string, unknown>
  /** Values for placeholders in the message. */
  readonly fill?: Record<string, string | number>
  readonly headers?: Record<string, string>
}

/** An error that is reported to the client. All other errors are bugs and become 500. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, cause?: unknown) {
    super(code, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = ERRORS[code]
    this.details = details
  }
}

/** 503 with `Retry-After`. */
export function unavailable(seconds = 1): AppError {
  return new AppError('rest_unavailable', { headers: { 'retry-after': String(seconds) } })
}

/** 507: no space left to store anything. */
export function storageFull(cause: unknown): AppError {
  return new AppError('rest_storage_full', { headers: { 'retry-after': '30' } }, cause)
}

/** Throws if there are problems, with all of them at once. */
export function refuse(problems: Problems): void {
  const found = Object.values(problems)
  if (found.length === 0) return
  const missing = found.some(({ problem }) => problem === 'missing')
  throw new AppError(missing ? 'rest_missing_callback_param' : 'rest_invalid_param', { params: problems })
}
