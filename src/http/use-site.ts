import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CurrentSite } from '../domain/current-site.ts'
import type { Scope } from '../domain/scope.ts'
import { languageOf } from './rewrite.ts'

/**
 * Gives a request the settings of the site as they are now. It costs a comparison of versions, unless the data has changed.
 * If the database fails, an address that does not exist is still answered.
 */
export async function useSite(
  { db, current }: Pick<Scope, 'db'> & { readonly current: CurrentSite },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.routeOptions.config.file) return
  const before = request.site.languages
  try {
    request.version = await db.version()
    request.site = await current.at(request.version)
  } catch (error) {
    if (!request.is404) throw error
  }
  if (request.site.languages === before) return
  request.language = languageOf(request.raw, request.site.languages)
  reply.header('content-language', request.language.name)
}
