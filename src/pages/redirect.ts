import type { Answer } from '../http/endpoint.ts'
import type { Context } from './context.ts'

/** Whether an address spells a slug or path as we do; the router has read the percent signs of what was asked for. */
export function spelled(asked: string, known: string): boolean {
  return asked === decoded(known) || asked === known
}

/** Leads to the one address of a page, with the filters that were asked for. */
export function redirect({ call, link }: Context, path: string): Answer {
  const search = call.sent === '' ? '' : `?${new URLSearchParams(call.sent)}`
  return { status: 301, headers: { location: `${link(path)}${search}`, 'content-type': 'text/plain' }, body: '' }
}

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
