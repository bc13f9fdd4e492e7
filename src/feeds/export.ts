import { openStream, type StreamScope } from '../domain/event-stream.ts'
import type { Addresses } from '../http/addresses.ts'
import { NAMESPACE } from '../http/endpoint.ts'
import { errorBody } from '../http/errors.ts'
import { AppError } from '../lib/errors.ts'
import { DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { type Feed, feedTitle } from './feed.ts'
import { EXPORTS } from './formats.ts'

/** Thrown for an export with invalid options. */
export class ExportError extends Error {}

/** Streams an export of the events that match the filters: public ones, or all that the user may see. */
export async function exportEvents(
  scope: StreamScope,
  name: string,
  query: Record<string, unknown>,
): Promise<{ total: number; text: AsyncGenerator<string> }> {
  const { home } = scope.site
  const addresses: Addresses = {
    home,
    pages: home,
    rest: `${home}/${NAMESPACE}`,
    host: new URL(home).hostname,
    language: scope.site.languages[0] ?? DEFAULT_LANGUAGE,
  }
  const format = EXPORTS.get(name)
  if (format === undefined) throw new ExportError(`there is no export format "${name}"`)
  const request = {
    query: () => query,
    period: format.period,
    isPublic: scope.user === null,
    joinsSeries: format.joinsSeries === true,
  }
  const events = await openStream(scope, request).catch((error) => {
    throw error instanceof AppError ? new ExportError(inWords(error)) : error
  })
  const feed: Feed = {
    title: feedTitle(scope.site, addresses, DEFAULT_LANGUAGE, null),
    language: DEFAULT_LANGUAGE,
    addresses,
    site: scope.site,
    page: `${home}/events/`,
    self: null,
    next: null,
    previous: null,
    now: () => scope.clock(),
    events,
  }
  return { total: events.total, text: format.write(feed) }
}

function inWords(error: AppError): string {
  const { message, data } = errorBody(error, DEFAULT_LANGUAGE, '') as { message: string; data: { params?: object } }
  return [message, ...Object.entries(data.params ?? {}).map(([name, words]) => `${name}: ${words}`)].join(' ')
}
