import type { Answer } from '../http/endpoint.ts'
import type { Context } from './context.ts'

/** Whether a slug or path is in its canonical spelling. The router has decoded it. */
export function spelled(asked: string, known: string): boolean {
  return asked === decoded(known) || asked === known
}

/** Redirects to the canonical address, with the filters. */
export function redirect({ call, link }: Context, path: string): Answer {
  const search = call.sent === '' ? '' : `?${new URLSearchParams(call.sent)}`
  return redirectTo(`${link(path)}${search}`)
}

export function redirectTo(location: string, status: 301 | 302 | 303 = 301): Answer {
  return { status, headers: { location, 'content-type': 'text/plain' }, body: '' }
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
