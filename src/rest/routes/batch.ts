import { type BatchAnswer, type BatchPart, runBatch } from '../../domain/batch.ts'
import { checkAccess } from '../../http/authentication.ts'
import { readForm } from '../../http/body.ts'
import { variableParts } from '../../http/call.ts'
import { type Answer, type Call, type Endpoint, MAIN_MOUNT } from '../../http/endpoint.ts'
import { asAppError, errorBody } from '../../http/errors.ts'
import { patternOf, throwNoRoute } from '../../http/no-route.ts'
import { sentAs } from '../../http/sparse.ts'
import { AppError, refuse } from '../../lib/errors.ts'
import { type BatchRequest, batchFields } from '../../schema/batch.ts'
import { readFields } from '../../schema/field.ts'

interface Route {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
}

/** Many requests in one, each with the rights of the caller: all or nothing, or each by itself. */
export function batchEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  let routes: readonly Route[] | null = null
  return {
    name: 'batch.run',
    answers: 'Batch',
    methods: ['POST'],
    path: '/batch',
    access: 'signed-in',
    parameters: batchFields,
    isRead(call) {
      try {
        return readBatch(call).values.requests?.every(({ method }) => method === 'GET') ?? false
      } catch {
        return false
      }
    },
    async handle(call) {
      const { values, problems } = readBatch(call)
      refuse(problems)
      const { requests = [], atomic = false } = values
      routes ??= endpoints().map((endpoint) => ({ endpoint, pattern: patternOf(endpoint) }))
      const known = routes
      // This request was counted already.
      call.countRequests(requests.length - 1)
      const room = new AnswerRoom()
      const parts = requests.map((request, n) => room.bound(n, partOf(known, call, request)))
      const { answers, isRolledBack } = await runBatch(call.scope.db, parts, {
        atomic,
        answerTo: (error) => answerTo(error, call),
      })
      return { body: join(answers, isRolledBack), mark: String(answers.length) }
    },
  }
}

function readBatch(call: Call) {
  return readFields(batchFields, call.body(), { mode: 'create', reading: { today: '' } })
}

/** Limit on all answers together, in bytes. */
const MAX_BYTES = 10_000_000

/** Refuses the request whose answer does not fit any more, and those after it. Nothing of them is written. */
class AnswerRoom {
  /** By place: a batch may be run again. */
  readonly #bytes: number[] = []

  bound(place: number, part: BatchPart): BatchPart {
    const check = (places: number) => {
      const bytes = this.#bytes.slice(0, places).reduce((sum, one) => sum + one, 0)
      if (bytes > MAX_BYTES) throw new AppError('rest_batch_too_long')
    }
    return {
      ...part,
      run: async (db) => {
        check(place)
        const answer = await part.run(db)
        this.#bytes[place] = answer.json.length
        check(place + 1)
        return answer
      },
    }
  }
}

function partOf(routes: readonly Route[], call: Call, request: BatchRequest): BatchPart {
  const isRead = request.method === 'GET'
  return {
    waits: isRead,
    async run(db) {
      const [asked = '', search = ''] = request.path.split(/\?(.*)/s)
      const path = pathOf(asked)
      const found = routes.find(
        ({ endpoint, pattern }) => endpoint.methods.includes(request.method) && pattern.test(path),
      )
      if (found === undefined)
        return throwNoRoute(
          routes.map(({ endpoint }) => endpoint),
          path,
        )
      const { endpoint, pattern } = found
      if (endpoint.manyTransactions || endpoint.name === 'batch.run') throw new AppError('rest_not_in_batch')
      checkAccess(endpoint, call.scope.user)
      const { slug, ...parts } = variableParts(pattern.exec(path)?.groups ?? {})
      const answer = await endpoint.handle({
        ...call,
        scope: { ...call.scope, db },
        method: request.method,
        header: () => undefined,
        path: `${path}${search && `?${search}`}`,
        ...parts,
        slug: decoded(slug),
        query: () => readForm(search),
        body: () => request.body,
        search: new URLSearchParams(search),
        sent: search,
        version: null,
      })
      return { status: answer.status ?? 200, json: jsonOf(answer, search) }
    },
  }
}

/** Paths begin below the namespace, with or without a slash. The namespace itself may stand before them. */
function pathOf(asked: string): string {
  const path = asked.startsWith('/') ? asked : `/${asked}`
  return path === MAIN_MOUNT || path.startsWith(`${MAIN_MOUNT}/`) ? path : `${MAIN_MOUNT}${path}`
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    throw new AppError('rest_bad_request')
  }
}

function jsonOf(answer: Answer, search: string): Buffer {
  const sent = typeof answer.body === 'string' ? JSON.stringify(answer.body) : sentAs(answer, search)
  return typeof sent === 'string' ? Buffer.from(sent) : sent
}

/** The answer to a refused request. Faults of the service fail the whole batch. */
function answerTo(error: unknown, { language }: Call): BatchAnswer {
  const appError = asAppError(error as Error)
  if (appError.status >= 500) throw error
  return { status: appError.status, json: Buffer.from(JSON.stringify(errorBody(appError, language, ''))) }
}

/** Joined as bytes: parsing and serializing all answers again would hold up other requests. */
function join(answers: readonly BatchAnswer[], isRolledBack: boolean): Buffer {
  const pieces = answers.flatMap(({ status, json }, n) => [
    Buffer.from(`${n === 0 ? '' : ','}{"status":${status},"body":`),
    json,
    Buffer.from('}'),
  ])
  return Buffer.concat([Buffer.from(`{"rolled_back":${isRolledBack},"responses":[`), ...pieces, Buffer.from(']}')])
}
