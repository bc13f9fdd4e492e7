import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { PASSWORD, type Service } from './service.ts'

/** A browser of a member of the staff, without scripts. */
export interface Staff {
  readonly cookie: string
  /** Token of the session, as its forms have it. */
  readonly csrf: string
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  /** Sends a form, with the token of the session. Values of a list are sent as `name[]`. */
  post(url: string, fields?: Record<string, string | readonly string[]>): Promise<LightMyRequestResponse>
  /** Sends a form with files. */
  upload(url: string, fields: Record<string, string>, files: Record<string, SentFile>): Promise<LightMyRequestResponse>
}

/** The cookie in `Set-Cookie`, as a browser sends it back. */
export function cookieOf({ headers }: LightMyRequestResponse): string {
  return String(headers['set-cookie'] ?? '').split(';')[0] ?? ''
}

export function formBody(fields: Record<string, string | readonly string[]>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : value.map((one) => [`${name}[]`, one]),
  )
  return new URLSearchParams(pairs as [string, string][]).toString()
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const MULTIPART = 'multipart/form-data; boundary=frontier'

/** A file of a form. */
export interface SentFile {
  readonly name: string
  readonly bytes: Buffer
  readonly type: string
}

/** Body of a form with files, as `MULTIPART`. */
export function multipart(fields: Record<string, string>, files: Record<string, SentFile>): Buffer {
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [`name="${name}"\r\n\r\n${value}`] as const),
    ...Object.entries(files).map(
      ([name, file]) =>
        [`name="${name}"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`, file.bytes] as const,
    ),
  ]
  return Buffer.concat([
    ...parts.flatMap(([head, bytes = Buffer.alloc(0)]) => [
      Buffer.from(`--frontier\r\nContent-Disposition: form-data; ${head}`),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--frontier--\r\n'),
  ])
}

/** Signs a role in through the form. */
export async function signIn(service: Service, name: string, password = PASSWORD): Promise<Staff> {
  const signed = await service.inject({
    method: 'POST',
    url: '/sign-in',
    headers: FORM,
    payload: formBody({ user: name, password }),
  })
  assert.equal(signed.statusCode, 303, signed.body)
  const cookie = cookieOf(signed)
  const page = await service.inject({ url: '/', headers: { cookie } })
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const send = (url: string, type: string, payload: string | Buffer) =>
    service.inject({ method: 'POST', url, headers: { 'content-type': type, cookie }, payload })
  return {
    cookie,
    csrf,
    get: (url, headers = {}) => service.inject({ url, headers: { cookie, accept: 'text/html', ...headers } }),
    post: (url, fields = {}) => send(url, FORM['content-type'], formBody({ csrf, ...fields })),
    upload(url, fields, files) {
      return send(url, MULTIPART, multipart({ csrf, ...fields }, files))
    },
  }
}
