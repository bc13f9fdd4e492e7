import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

const packers = {
  br: (text: string) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) as Promise<Buffer>,
  gzip: (text: string) => promisify(gzip)(text) as Promise<Buffer>,
}

/** Packs pages for readers who can unpack them: a fifth of the bytes. What was shown for a password is not, as its length would tell of it. */
export function compressPages(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isPage = /^text\/html/.test(String(reply.getHeader('content-type')))
    if (!isPage || typeof payload !== 'string' || reply.hasHeader('content-encoding')) return payload
    const accepted = String(request.headers['accept-encoding'] ?? '')
    reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
    const coding = (['br', 'gzip'] as const).find((name) =>
      new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?(,|$))`).test(accepted),
    )
    if (coding === undefined || /no-store/.test(String(reply.getHeader('cache-control')))) return payload
    reply.header('content-encoding', coding).removeHeader('content-length')
    return packers[coding](payload)
  })
}
