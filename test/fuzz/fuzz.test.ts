import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { REQUEST_SAMPLES } from '../../src/rest/samples.ts'
import { contractOf } from '../support/contract.ts'
import fc from '../support/property.ts'
import { type Json, startService } from '../support/service.ts'

/** A schema, or the one that it refers to, with the requirements of all its parts. */
function resolved(schema: Json, document: Json): Json {
  if (schema.$ref)
    return resolved(
      schema.$ref
        .slice(2)
        .split('/')
        .reduce((part: Json, name: string) => part[name], document),
      document,
    )
  if (!schema.allOf) return schema
  const parts: Json[] = schema.allOf.map((part: Json) => resolved(part, document))
  return {
    ...parts[0],
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  }
}

/** Values that a JSON Schema allows. */
function valid(given: Json, document: Json): fc.Arbitrary<unknown> {
  const schema = resolved(given, document)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Json) => valid(one, document)))
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum ?? -5, max: 60 })
  if (schema.type === 'number')
    return fc.double({ min: schema.minimum ?? -100, max: schema.maximum ?? 100, noNaN: true })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array') return fc.array(valid(schema.items ?? {}, document), { maxLength: 3 })
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {}).map(([name, part]) => [
      name,
      valid(part as Json, document),
    ])
    return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] })
  }
  return fc.oneof(
    fc.constantFrom(
      '2031-06-10 10:00',
      'Europe/Paris',
      'https://example.org',
      'a@example.org',
      'publish',
      '12',
      'Music',
      'EUR',
      'UTC+3',
    ),
    fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: 20 }),
  )
}

/** Values that a JSON Schema of a parameter does not allow, as a query string says them. */
function invalid(schema: Json): string[] {
  if (schema.enum) return ['bogus', 'PUBLISH', '[]']
  if (schema.type === 'integer') return ['x', '1.5', String((schema.minimum ?? 0) - 1), '1e3', '0x10', 'NaN']
  if (schema.type === 'number')
    return ['x', '1e999', 'NaN', ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)])]
  if (schema.type === 'boolean') return ['maybe', '2', 'on', 'null']
  if (schema.type === 'array' && schema.items?.type === 'integer') return ['x', '1,x', '0', '-1']
  if (schema.type === 'array' && schema.items?.enum) return ['bogus', 'publish,bogus']
  return []
}

/** Bodies that are allowed throughout, that are good but for a field or two, and that hold anything. */
function bodies(given: Json, good: object, document: Json): fc.Arbitrary<unknown> {
  const schema = resolved(given, document)
  const names = Object.keys(schema.properties)
  const some = fc
    .uniqueArray(fc.constantFrom(...names), { maxLength: 2 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((name) => [name, valid(schema.properties[name], document)]))),
    )
  const odd = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 })
  const unlike = fc.integer().map((n) => ({ name: `Term ${n}` }))
  return fc.oneof(
    valid(schema, document),
    fc.tuple(unlike, some).map(([name, parts]) => ({ ...good, ...name, ...parts })),
    fc.tuple(unlike, odd).map(([name, parts]) => ({ ...good, ...name, ...parts })),
  )
}

describe('requests made from the document', () => {
  it('give no failure of ours, no answer that it does not describe, and no wrong request is taken', async () => {
    const service = await startService({ settings: { rateLimit: '0', userRateLimit: '0' } })
    const document: Json = await service.expect(200, null, '/doc')
    const contract = contractOf(document)
    const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    const event = {
      title: 'Seed',
      start_date: '2031-06-10',
      end_date: '2031-06-11',
      venue: { venue: 'Seed' },
      organizer: { organizer: 'Seed' },
      tags: ['seed'],
      categories: ['Seed'],
    }
    const pathOf = (path: string, id: number, slug: string) =>
      path.replace('{id}', String(id)).replace(/\{(slug|version|delivery)\}/, slug)
    const roles: (Role | null)[] = [
      'administrator',
      'administrator',
      'administrator',
      'author',
      'contributor',
      'subscriber',
      null,
    ]
    let taken = 0
    for (const { path, method, operation } of operations) {
      const body = operation.requestBody?.content['application/json']?.schema
      // An overridden method answers as the other one.
      const isAsked = ({ in: place, name }: Json) => place === 'query' && name !== '_method'
      const query = operation.parameters.filter(isAsked)
      const request = fc.record({
        role: fc.constantFrom(...roles),
        id: fc.integer({ min: 0, max: 12 }),
        slug: fc.constantFrom('seed', 'seed-2', 'nothing', 'seed__trashed'),
        body: body ? bodies(body, REQUEST_SAMPLES[path.split('/')[1] ?? ''] ?? {}, document) : fc.constant(undefined),
        query: fc.record(
          Object.fromEntries(query.map((parameter: Json) => [parameter.name, valid(parameter.schema, document)])),
          { requiredKeys: [] },
        ),
      })
      await service.call('administrator', '/events', { json: event })
      await fc.assert(
        fc.asyncProperty(request, async ({ role, id, slug, body: json, query: asked }) => {
          const where = pathOf(path, id, slug)
          const text = Object.fromEntries(
            Object.entries(asked).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]),
          )
          const response = await service.call(role, where, {
            method: method as 'GET',
            query: text,
            ...(json !== undefined && { json }),
          })
          assert.ok(response.statusCode < 500, response.body)
          const type = String(response.headers['content-type'])
          // A sparse answer leaves out what the document requires, and a dry run answers another thing.
          const isDry = asked.dry_run || (json as Json | undefined)?.dry_run
          const isOther = '_fields' in asked || (isDry && response.statusCode < 300)
          if (!type.startsWith('application/json'))
            assert.ok(operation.responses[response.statusCode].content[type.split(';')[0] ?? ''], type)
          else if (!isOther) contract.checkResponse(method, where, response.statusCode, response.json())
          if (json !== undefined && response.statusCode < 300) {
            taken++
            assert.ok(contract.allows(method, where, json), `${method} ${where} took ${JSON.stringify(json)}`)
          }
        }),
        { numRuns: 60, seed: 2031 },
      )
      for (const { name, schema } of query) {
        for (const value of invalid(schema)) {
          const response = await service.call('administrator', pathOf(path, 1, 'seed'), {
            method: method as 'GET',
            query: { [name]: value },
          })
          assert.ok(
            response.statusCode >= 400 && response.statusCode < 500,
            `${method} ${path}?${name}=${value} answered ${response.statusCode}`,
          )
        }
      }
    }
    assert.ok(taken > 100, `only ${taken} requests were taken`)
    await service.close()
  })
})
