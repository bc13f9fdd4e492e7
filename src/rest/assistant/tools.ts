import { dryRun } from '../../domain/dry-run.ts'
import { readingOf } from '../../domain/records.ts'
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts'
import { JsonText } from '../../http/json-text.ts'
import { refuse } from '../../lib/errors.ts'
import { text } from '../../lib/texts.ts'
import { seriesParameters } from '../../schema/event.ts'
import { type Fields, readFields } from '../../schema/field.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { LINKED_KINDS } from '../../schema/linked.ts'

/** A tool of an assistant: an endpoint of the REST interface, with its names of arguments. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly isRead: boolean
  call(call: Call, given: Record<string, unknown>): Promise<Body>
}

type Body = Record<string, unknown>

const VERBS = ['search', 'get', 'create', 'update'] as const
type Verb = (typeof VERBS)[number]

/** Tools for events, venues and organizers. */
export function toolsOf(endpoints: readonly Endpoint[], language: string): Tool[] {
  return ['event', ...LINKED_KINDS].flatMap((kind) => VERBS.map((verb) => toolOf(endpoints, kind, verb, language)))
}

function toolOf(endpoints: readonly Endpoint[], kind: string, verb: Verb, language: string): Tool {
  const find = (name: string) => {
    const found = endpoints.find((endpoint) => endpoint.name === `${kind}s.${name}`)
    if (found === undefined) throw new Error(`there is no endpoint ${kind}s.${name}`)
    return found
  }
  const endpoint = find(verb === 'search' ? 'list' : verb)
  const isRead = verb === 'search' || verb === 'get'
  return {
    name: verb === 'search' ? `search_${kind}s` : `${verb}_${kind}`,
    description: `${text(language, `operations.${endpoint.name}`)} ${text(language, 'assistant.dates')}`,
    inputSchema: schemaOf(endpoint.parameters, language, { hasDryRun: !isRead, hasSlug: verb === 'get' }),
    isRead,
    async call(call, { dry_run, id, ...given }) {
      const bySlug = verb === 'get' && id === undefined && typeof given.slug === 'string'
      const used = bySlug ? find('get-by-slug') : endpoint
      const run = async (db: Call['scope']['db'], fields = given) =>
        bodyOf(
          await used.handle({
            ...call,
            scope: { ...call.scope, db },
            method: verb === 'create' ? 'POST' : verb === 'update' ? 'PATCH' : 'GET',
            id: Number(id),
            slug: bySlug ? String(given.slug) : '',
            query: () => fields,
            body: () => fields,
            search: new URLSearchParams(),
            sent: '',
            version: null,
          }),
        )
      const { db } = call.scope
      if (isRead || !isDry(call, dry_run)) return run(db)
      const shown = await dryRun(db, run)
      // Of an event, the endpoint tells what would become of its series.
      return 'dry_run' in used.parameters ? { ...shown, plan: await run(db, { ...given, dry_run: true }) } : shown
    },
  }
}

function isDry({ scope }: Call, dry_run: unknown): boolean {
  const { dry_run: field } = seriesParameters
  const { values, problems } = readFields({ dry_run: field }, { dry_run }, { mode: 'query', reading: readingOf(scope) })
  refuse(problems)
  return values.dry_run === true
}

/** Limit on a result, in characters: it is sent as data and as text. */
const MAX_RESULT = 500_000

function bodyOf({ body }: Answer): Body {
  if (!(body instanceof JsonText)) return body as Body
  if (body.text.length > MAX_RESULT) refuse({ per_page: { problem: 'too_long_for_assistant' } })
  return JSON.parse(body.text) as Body
}

/** The recommended form of each argument. */
function schemaOf(
  fields: Fields,
  language: string,
  { hasDryRun, hasSlug }: { hasDryRun: boolean; hasSlug: boolean },
): JsonSchema {
  const named = Object.entries(fields).map(([name, { kind, text: key }]) => [
    name,
    { ...kind.schema, description: text(language, `fields.${key}`) },
  ])
  const required = Object.entries(fields).filter(([name, field]) => field.required && !(hasSlug && name === 'id'))
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(named),
      ...(hasSlug && { slug: { type: 'string', description: text(language, 'fields.path.slug') } }),
      ...(hasDryRun && { dry_run: { type: 'boolean', description: text(language, 'assistant.dry_run') } }),
    },
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  }
}
