import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Site } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'
import type { FileRoute } from './endpoint.ts'

export function addFiles(app: FastifyInstance, routes: readonly FileRoute[], site: Site): void {
  for (const { path, find } of routes) {
    app.get(path, { logLevel: 'warn' }, async (request, reply) => {
      const { name = '' } = request.params as { name?: string }
      const file = await find(site, name)
      if (file === null) throw new AppError('rest_no_route')
      const packed = file.packed !== null && /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''))
      reply.type(file.type).headers({
        ...file.headers,
        ...(file.packed !== null && { vary: 'Accept-Encoding' }),
        ...(packed && { 'content-encoding': 'br' }),
      })
      const etag = file.headers.etag
      if (etag !== undefined && request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
      return reply.send(packed ? await file.packed?.() : file.bytes)
    })
  }
}

/** Strong ETag of a file. */
export function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}
