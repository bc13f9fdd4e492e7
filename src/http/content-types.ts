import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'

/** Keeps a body as bytes. It is parsed only after authorization: see Payload. */
const keep = async (_: FastifyRequest, body: Buffer) => body

/** Takes JSON and forms, and refuses all other bodies. */
export function takeFields(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  for (const type of [/^application\/([\w.+-]+\+)?json\b/, 'application/x-www-form-urlencoded'] as const)
    app.addContentTypeParser(type as string, { parseAs: 'buffer' }, keep)
  app.addContentTypeParser('*', async (_: FastifyRequest, body: IncomingMessage) => refuseContent(body))
}

/** Takes multipart forms too, which may have files, of at most `bodyLimit` bytes. */
export function takeForms(app: FastifyInstance, bodyLimit: number): void {
  app.addContentTypeParser(/^multipart\/form-data/, { parseAs: 'buffer', bodyLimit }, keep)
}

/** Takes files as the body or in a form. They may have any type; the content is detected from the bytes. */
export function takeFiles(app: FastifyInstance): void {
  app.addContentTypeParser(
    /^(image\/|multipart\/form-data|application\/octet-stream|text\/(calendar|csv|plain|tab-separated-values))/,
    { parseAs: 'buffer' },
    keep,
  )
}

/** Refuses a body of an unknown type, unless it turns out to be empty. */
async function refuseContent(body: IncomingMessage): Promise<undefined> {
  for await (const chunk of body) if (chunk.length > 0) throw new AppError('rest_unsupported_media_type')
}

/**
 * Many clients name a content type though they send no body. Fastify would wait for that body. A name that is no content
 * type is dropped too: Fastify would refuse it even with an empty body.
 */
export function dropUnusedContentType({ headers }: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding, 'content-type': type = '' } = headers
  if ((coding === undefined && length === '0') || !/^[\w.+-]+\/[\w.+-]/.test(type)) delete headers['content-type']
}
