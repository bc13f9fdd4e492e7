import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { CurrentSite } from '../domain/current-site.ts'
import * as images from '../domain/images.ts'
import type { Scope } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'
import type { FileRoute } from './endpoint.ts'

export function addFiles(app: FastifyInstance, routes: readonly FileRoute[], current: CurrentSite): void {
  for (const { path, find } of routes) {
    app.get(path, { logLevel: 'warn', config: { file: true } }, async (request, reply) => {
      const { name = '' } = request.params as { name?: string }
      const known = await find(current.last, name)
      // It may be a file of settings that another process has changed.
      const file = known?.isCurrent ? known : await find(await current.read().catch(() => current.last), name)
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

/** Image files. A name is never reused, so files are immutable. */
export function addImages(app: FastifyInstance, scope: Pick<Scope, 'db' | 'files'>): void {
  app.get('/images/:name', { logLevel: 'warn', config: { file: true } }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const found = await images.file(scope, name)
    if (found === null) throw new AppError('rest_no_route')
    return reply
      .type(found.mime)
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        etag: `"${name}"`,
      })
      .send(found.bytes)
  })
}
