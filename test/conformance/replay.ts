import assert from 'node:assert/strict'
import { decodeHTML } from 'entities'
import type { LightMyRequestResponse } from 'fastify'
import type { Role } from '../../src/domain/access.ts'
import { type Contract, contractOf } from '../support/contract.ts'
import type { Call, Json, Service } from '../support/service.ts'

export interface Scenario {
  readonly name: string
  readonly about: string
  readonly steps: readonly Step[]
}

interface Step {
  readonly as?: Role
  readonly request?: Call & { readonly method: string; readonly path: string }
  readonly save?: Record<string, string>
  readonly setup?: { 'set-password': { event: string; password: string } }
  readonly response?: {
    readonly status: number
    readonly error?: { code: string; status: number; params?: string[] }
    readonly body?: Json
    readonly totals?: [string, string]
  }
}

let contract: Promise<Contract> | undefined

/** The contract that a service's own document is: the same for all services, which have the same settings. */
function documented(service: Service): Promise<Contract> {
  contract ??= service.expect(200, null, '/doc').then(contractOf)
  return contract
}

/** Sends one recorded exchange and compares the answer with the recorded one; `saved` is carried along a scenario. */
export async function replay(service: Service, step: Step, saved: Map<string, string>): Promise<void> {
  const fill = filler(service, saved)
  if (step.setup) {
    const { event, password } = step.setup['set-password']
    await service.expect(200, 'administrator', `/events/${fill(event)}`, { method: 'PATCH', json: { password } })
  }
  if (!step.request || !step.response) return
  const { path, method, ...rest } = fill(step.request) as Call & { method: 'GET'; path: string }
  const answer = await service.call(step.as ?? null, path, { method, ...rest })
  // A sparse answer leaves out what the document requires; an overridden method answers as the other one.
  const overridden = rest.query?._method ?? rest.headers?.['x-http-method-override']
  if (!rest.query?._fields)
    (await documented(service)).checkResponse(String(overridden ?? method), path, answer.statusCode, answer.json())
  for (const [name, where] of Object.entries(step.save ?? {})) saved.set(name, String(at(answer.json(), where)))
  compare(answer, fill(step.response) as NonNullable<Step['response']>)
}

function compare(answer: LightMyRequestResponse, expected: NonNullable<Step['response']>): void {
  assert.equal(answer.statusCode, expected.status, answer.body)
  const body = answer.json()
  if (expected.error) {
    assert.equal(body.code, expected.error.code)
    assert.equal(body.data.status, expected.error.status)
    const params = body.data.params ?? []
    assert.deepEqual([...(Array.isArray(params) ? params : Object.keys(params))].sort(), expected.error.params ?? [])
  }
  if (expected.body !== undefined) same(body, expected.body, '')
  if (expected.totals)
    assert.deepEqual([answer.headers['x-tec-total'], answer.headers['x-tec-totalpages']], expected.totals)
}

const TEXTS = new Set(['title', 'description', 'excerpt', 'name', 'venue', 'organizer', 'cost'])
const LISTS = new Set(['rest_url', 'next_rest_url', 'previous_rest_url'])

function same(actual: Json, expected: Json, path: string): void {
  const key = path.split('.').at(-1) ?? ''
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path} is a list`)
    assert.equal(actual.length, expected.length, `${path} has ${JSON.stringify(actual)}`)
    for (const [n, item] of expected.entries()) same(actual[n], item, `${path}.${n}`)
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(
      typeof actual === 'object' && actual !== null && !Array.isArray(actual),
      `${path} is an object, not ${JSON.stringify(actual)}`,
    )
    for (const [name, value] of Object.entries(expected)) {
      assert.ok(name in actual, `${path}.${name} is there`)
      same(actual[name], value, `${path}.${name}`)
    }
  } else if (typeof expected === 'string' && typeof actual === 'string') {
    sameText(actual, expected, key, path)
  } else if (expected === '{{#?}}') {
    assert.ok(Number.isInteger(actual) && actual > 0, `${path} is a positive integer`)
  } else {
    assert.deepEqual(actual, expected, path)
  }
}

function sameText(actual: string, expected: string, key: string, path: string): void {
  if (expected === '{{datetime}}') assert.match(actual, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, path)
  else if (key === 'url' || key === 'website')
    assert.equal(actual.replace(/\/$/, ''), expected.replace(/\/$/, ''), path)
  else if (expected.includes('{{?}}'))
    assert.match(actual, new RegExp(`^${expected.split('{{?}}').map(RegExp.escape).join('[1-9]\\d*')}$`), path)
  else if (LISTS.has(key)) sameAddress(actual, expected, path)
  else if (TEXTS.has(key)) assert.equal(plain(actual), plain(expected), path)
  else assert.equal(actual, expected, path)
}

function sameAddress(actual: string, expected: string, path: string): void {
  const [one, other] = [new URL(actual), new URL(expected)]
  assert.equal(one.origin + one.pathname.replace(/\/$/, ''), other.origin + other.pathname.replace(/\/$/, ''), path)
  for (const [name, value] of other.searchParams) {
    const given = one.searchParams.get(name)
    if (given === null && (name === 'status' || (name === 'page' && value === '1'))) continue
    assert.equal(given, value, `${path}?${name}`)
  }
}

/** Entities decoded, curly quotes and dashes straightened, white space folded. */
function plain(text: string): string {
  return decodeHTML(text)
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]|-{2,3}/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

function filler(service: Service, saved: Map<string, string>): (value: unknown) => unknown {
  const home = service.config.baseUrl
  const token = (name: string): string | undefined => {
    if (name === 'home') return home
    if (name === 'rest') return `${home}/calendar/events/v1`
    if (name === 'host') return new URL(home).hostname
    if (name.startsWith('user:')) return String(service.ids[name.slice(5) as Role])
    if (name.startsWith('day:'))
      return Temporal.Now.plainDateISO(service.config.timezone)
        .add({ days: Number(name.slice(4)) })
        .toString()
    return saved.get(name)
  }
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fill(part)]))
    if (typeof value !== 'string') return value
    const number = /^\{\{#(\w+)\}\}$/.exec(value)
    if (number) return Number(token(number[1] ?? ''))
    return value.replace(/\{\{([\w:+-]+)\}\}/g, (whole, name) => token(name) ?? whole)
  }
  return fill
}

function at(body: Json, path: string): unknown {
  return path.split('.').reduce((value, name) => value?.[name], body)
}
