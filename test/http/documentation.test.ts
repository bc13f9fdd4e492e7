import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { parse } from 'yaml'
import { ERRORS } from '../../src/lib/errors.ts'
import { LANGUAGES } from '../../src/lib/texts.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import { REQUEST_SAMPLES } from '../../src/rest/samples.ts'
import { contractOf } from '../support/contract.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

/** An id is a number, so `by-slug` is none; the rule does not look at types. */
const AMBIGUOUS = /^no-ambiguous-paths: .*`\/(\w+)\/by-slug\/\{slug\}` and `\/\1\/\{id\}\/versions`/

describe('the documentation', () => {
  let service: Service
  let document: Json
  before(async () => {
    service = await startService()
    document = await service.expect(200, null, '/doc')
  })
  after(() => service.close())
  const schemaOf = (schema: Json) => document.components.schemas[schema?.$ref?.split('/').at(-1)] ?? schema

  it('passes a strict linter without a warning', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const lint = (source: Json) => lintFromString({ source: JSON.stringify(source), config })
    assert.notDeepEqual(await lint({ ...document, info: { title: 'No version' } }), [])
    const problems = await lint(document)
    assert.deepEqual(
      problems
        .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
        .filter((problem) => !AMBIGUOUS.test(problem)),
      [],
    )
  })

  it('has every operation, with a summary, and every parameter, with a description', () => {
    for (const endpoint of endpoints) {
      for (const method of endpoint.methods) {
        const operation = document.paths[endpoint.path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
        assert.ok(operation.summary.length > 0)
        assert.ok(operation.description.startsWith(operation.summary), endpoint.name)
        const input = operation.requestBody?.content['application/json']?.schema
        const properties = Object.keys(schemaOf(input)?.properties ?? {})
        const named = [...operation.parameters.map((parameter: Json) => parameter.name), ...properties]
        for (const name of Object.keys(endpoint.parameters)) assert.ok(named.includes(name), `${endpoint.name} ${name}`)
        for (const parameter of operation.parameters) assert.match(parameter.description, /^[A-Z].*\.$/)
        if (properties.length > 0)
          assert.deepEqual(Object.keys(operation.requestBody.content), [
            'application/json',
            'application/x-www-form-urlencoded',
            ...(endpoint.upload ? [] : ['multipart/form-data']),
            ...(endpoint.takes ?? []),
          ])
      }
    }
    assert.doesNotMatch(JSON.stringify(document), /x-text|"description":"(fields|responses|documentation)\./)
  })

  it('is made for generators: named inputs, true limits, and all parameters', async () => {
    for (const name of ['Event', 'Venue', 'Organizer', 'Category', 'Tag']) {
      assert.ok(document.components.schemas[`${name}Input`].properties, name)
      const list = name === 'Category' ? 'categories' : `${name.toLowerCase()}s`
      const { content } = document.paths[`/${list}`].post.requestBody
      assert.deepEqual(content['application/json'].schema, { $ref: `#/components/schemas/${name}Input` })
      const names = document.paths[`/${list}`].post.parameters.map((parameter: Json) => parameter.name)
      for (const one of ['_fields', '_method', 'X-HTTP-Method-Override', 'Idempotency-Key'])
        assert.ok(names.includes(one))
    }
    const { cost, tickets, tags } = document.components.schemas.EventInput.properties
    assert.equal(cost.anyOf[0].maxLength, 200)
    assert.equal(tickets.anyOf[0].maxItems, 50)
    assert.equal(tags.anyOf[0].anyOf[0].maxItems, 100)
    assert.ok(tickets.anyOf[0].items.properties.price.anyOf.some((one: Json) => one.type === 'null'))
    const { encoding } = document.paths['/events'].post.requestBody.content['application/x-www-form-urlencoded']
    assert.ok(encoding.venue.explode)
    assert.equal(document.info.version, JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
    const tooMuch = { title: 'T', start_date: '2031-01-01', end_date: '2031-01-01', cost: 'x'.repeat(201) }
    await service.expect(400, 'editor', '/events', { json: tooMuch })
  })

  it('has the spellings of numbers that are accepted', async () => {
    const spelled = { geo_lat: '48.85', geo_lng: ' +2. ' }
    await service.expect(201, 'editor', '/venues', { json: { venue: 'V', ...spelled } })
    const { properties } = document.components.schemas.VenueInput
    for (const [name, value] of Object.entries(spelled)) {
      const patterns = properties[name].anyOf.flatMap(({ pattern }: Json) => pattern ?? [])
      assert.ok(
        patterns.some((pattern: string) => new RegExp(pattern, 'u').test(value)),
        `${name} ${patterns}`,
      )
    }
  })

  it('is the same as YAML', async () => {
    const response = await service.call(null, '/doc', { query: { format: 'yaml' } })
    assert.match(String(response.headers['content-type']), /yaml/)
    const read = parse(response.body)
    // To compare so much as text takes no time.
    if (JSON.stringify(read) !== JSON.stringify(document)) assert.deepEqual(read, document)
    await service.expect(400, null, '/doc', { query: { format: 'xml' } })
  })

  it('has examples that are real', async () => {
    const contract = contractOf(document)
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      for (const [method, operation] of Object.entries<Json>(item)) {
        for (const [status, response] of Object.entries<Json>(operation.responses)) {
          const example = (response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response)
            .content?.['application/json'].example
          if (example)
            contract.checkResponse(method, path.replace('{id}', '1').replace('{slug}', 'a'), Number(status), example)
        }
      }
    }
    // Events last: theirs brings its category along.
    for (const [group, json] of Object.entries(REQUEST_SAMPLES).reverse()) {
      const created = await service.expect(201, 'administrator', `/${group}`, { json })
      const example = document.paths[`/${group}`].post.responses[201].content['application/json'].example
      assert.deepEqual(
        Object.keys(example).filter(
          (key) =>
            !(key in created) &&
            !['image', 'tickets', 'website', 'geo_lat', 'geo_lng', 'zip', 'description'].includes(key),
        ),
        [],
      )
    }
  })

  it('fails a response with more than it says', async () => {
    const contract = contractOf(document)
    const tag = await service.expect(201, 'administrator', '/tags', { json: { name: 'Checked' } })
    contract.checkResponse('GET', `/tags/${tag.id}`, 200, tag)
    assert.throws(() => contract.checkResponse('GET', `/tags/${tag.id}`, 200, { ...tag, secret: 1 }))
    assert.throws(() => contract.checkResponse('GET', `/tags/${tag.id}`, 200, { ...tag, count: '1' }))
    assert.throws(() => contract.checkResponse('GET', `/tags/${tag.id}`, 418, tag))
  })

  it('says in every language the same of names, types and defaults', async () => {
    const bare = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(bare)
      if (typeof value !== 'object' || value === null) return value
      const texts = ['description', 'summary', 'example', 'url', 'info']
      return Object.fromEntries(
        Object.entries(value)
          .filter(([key, part]) => !(texts.includes(key) && typeof part !== 'object') && key !== 'example')
          .map(([key, part]) => [key, bare(part)]),
      )
    }
    const summaries = new Set<string>()
    for (const language of LANGUAGES) {
      const response = await service.inject({ url: `/${language}/calendar/events/v1/doc` })
      assert.equal(response.headers['content-language'], language)
      assert.doesNotMatch(String(response.headers.vary), /Accept-Language/)
      const other = response.json()
      assert.deepEqual(bare(other), bare(document))
      summaries.add(other.paths['/events'].get.summary)
      assert.equal(other.servers[0].url, `http://calendar.example.org:8080/${language}/calendar/events/v1`)
    }
    assert.equal(summaries.size, LANGUAGES.length)
  })

  it('chooses a language by address, else by header, among those that are configured', async () => {
    const german = await service.call(null, '/venues/0', { headers: { 'accept-language': 'de-AT, en;q=0.5' } })
    assert.equal(german.headers['content-language'], 'de')
    assert.match(String(german.headers.vary), /Accept-Language/)
    const french = await service.inject({
      url: '/fr/calendar/events/v1/venues?per_page=x',
      headers: { 'accept-language': 'de' },
    })
    assert.equal(french.headers['content-language'], 'fr')
    assert.match(french.json().data.params.per_page, /nombre/)
    const list = (await service.inject({ url: '/es/calendar/events/v1/tags' })).json()
    assert.match(list.rest_url, /\/es\/calendar\/events\/v1\/tags\//)
    const few = await startService({ settings: { languages: 'fr,en' } })
    assert.equal((await few.inject({ url: '/de/calendar/events/v1/tags' })).statusCode, 404)
    assert.equal(
      (await few.call(null, '/tags', { headers: { 'accept-language': 'de' } })).headers['content-language'],
      'fr',
    )
    await few.close()
  })

  it('knows every status that an error can have', () => {
    const told = new Set(
      Object.values<Json>(document.paths).flatMap((item) =>
        Object.values<Json>(item).flatMap((operation) => Object.keys(operation.responses)),
      ),
    )
    // 424 is the status of a request within a batch.
    const protocol = ['405', '408', '414', '424', '431']
    for (const status of new Set(Object.values(ERRORS).map(String)))
      assert.ok(told.has(status) || protocol.includes(status), status)
  })
})
