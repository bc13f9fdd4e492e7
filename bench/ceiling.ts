import fastify from 'fastify'

/** A Fastify server that answers every GET with the bytes it was given, in turn: what this machine can do at most. */
const app = fastify({ bodyLimit: 2 ** 24 })
let bodies: Buffer[] = [Buffer.from('{}')]
let next = 0
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, bytes: Buffer) => bytes)
app.delete('/bodies', async () => {
  bodies = []
  return {}
})
app.post('/bodies', async (request) => {
  bodies.push(request.body as Buffer)
  return {}
})
app.get('/*', (_, reply) => {
  next = (next + 1) % bodies.length
  reply.type('application/json; charset=utf-8').send(bodies[next])
})
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
