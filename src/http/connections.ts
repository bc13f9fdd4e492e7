import type { FastifyInstance } from 'fastify'

/** The most that is read and thrown away so that its sender sees the answer, in bytes: what a proxy may have taken. */
const MOST_IGNORED = 104_857_600

/** Which answers end their connection. A proxy keeps its connections, and counts one that breaks as a failure. */
export function tendConnections(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // While the server stops, every one: what a proxy kept open would keep the server too.
    if (isClosing) reply.header('connection', 'close')
    // Not the refusal of a body that is still on its way: who sends it would see a broken connection, and no answer.
    else if (reply.hasHeader('connection') && Number(request.headers['content-length']) <= MOST_IGNORED)
      reply.removeHeader('connection')
    done(null, payload)
  })
}
