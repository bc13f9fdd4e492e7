import { createServer } from 'node:http'
import { Listener } from '../../src/lib/listener.ts'

/** A server at the port that is its argument; it closes the port when it is told to stop. */
const server = createServer((_, response) => response.setHeader('connection', 'close').end('answered'))
const listener = new Listener((socket) => server.emit('connection', socket))
await listener.open({ host: '127.0.0.1', port: Number(process.argv[2]) })
process.on('SIGTERM', () => listener.close())
process.stdout.write('listening\n')
