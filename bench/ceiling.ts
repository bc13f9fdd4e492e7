import fastify from 'fastify'

/** A Fastify server that answers everything with the bytes it was last given: what this machine can do at most. */
const app = fastify()
let body: Buffer = Buffer.from('{}')
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, bytes: Buffer) => bytes)
app.put('/body', async (request) => {
  body = request.body as Buffer
  return {}
})
app.route({
  method: ['GET', 'POST'],
  url: '/*',
  handler: (_, reply) => reply.type('application/json; charset=utf-8').send(body),
})
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
