import type { LightMyRequestResponse } from 'fastify'
import type { Role } from '../../../src/domain/access.ts'
import * as users from '../../../src/domain/users.ts'
import { clock } from '../calendar.ts'
import { basic, type Service } from '../service.ts'
import { signIn } from '../staff.ts'
import { READERS, type ReaderName } from './table.ts'

/** Readers of every role, and how they sign in. */

export type Way = 'password' | 'token' | 'session'

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: Record<string, unknown>
  readonly json?: unknown
}

export interface Reader {
  readonly name: ReaderName
  readonly role: Role | null
  readonly way: Way
  /** Sends a request to a path below the namespace. */
  rest(path: string, call?: Call): Promise<LightMyRequestResponse>
  /** Sends a request to a path below the base address; a form, if there are fields. */
  page(url: string, fields?: Record<string, string>): Promise<LightMyRequestResponse>
  /** Sends a request to a path of the general interface of WordPress. */
  wordpress(path: string, json?: object): Promise<LightMyRequestResponse>
  /** Sends a message to the assistant. */
  assistant(message: object): Promise<LightMyRequestResponse>
}

const WORDPRESS = '/wp-json/wp/v2'
const JSON_TYPE = { 'content-type': 'application/json' }

export type Signs = ReadonlyMap<ReaderName, Readonly<Record<Way, Record<string, string>>>>

/** What each user sends to be known: a password, a token, or the cookie of a session. */
export async function signsOf(service: Service): Promise<Signs> {
  const signs = new Map<ReaderName, Record<Way, Record<string, string>>>()
  for (const name of READERS) {
    if (name === 'anyone') continue
    const token = await users.createToken({ db: service.db, clock }, name, '')
    const { cookie, csrf } = await signIn(service, name)
    signs.set(name, {
      password: { authorization: basic(name) },
      token: { authorization: `Bearer ${token}` },
      session: { cookie, 'x-csrf': csrf },
    })
  }
  return signs
}

export function readerOf(service: Service, name: ReaderName, way: Way, signs: Signs): Reader {
  const { 'x-csrf': csrf = '', ...headers } = signs.get(name)?.[way] ?? {}
  return {
    name,
    role: name === 'anyone' ? null : name,
    way,
    rest: (path, { method, query, json } = {}) =>
      service.call(null, path, { ...(method && { method }), ...(query && { query }), json, headers }),
    page: (url, fields) =>
      service.inject({
        method: fields === undefined ? 'GET' : 'POST',
        url,
        headers: {
          ...headers,
          accept: 'text/html',
          ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(fields && { payload: new URLSearchParams({ csrf, ...fields }).toString() }),
      }),
    wordpress: (path, json) =>
      service.inject({
        method: json === undefined ? 'GET' : 'POST',
        url: `${WORDPRESS}${path}`,
        headers: { ...headers, ...(json && JSON_TYPE) },
        ...(json && { payload: JSON.stringify(json) }),
      }),
    assistant: (message) =>
      service.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, ...JSON_TYPE, accept: 'application/json, text/event-stream' },
        payload: JSON.stringify(message),
      }),
  }
}
