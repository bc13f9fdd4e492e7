import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { times } from '../support/thorough.ts'

const skip = process.platform !== 'linux' && 'needs the queue of connections that Linux has'
const ROUNDS = times(20, 6)
const CLIENTS = 20
/** The longest pause of a client between two requests, in milliseconds. */
const PAUSE = 10
/** Connections that fill the accept queue: Node's backlog, and the one more that Linux allows. */
const QUEUE = 512
/** Sets an option of a socket that Node cannot set. */
const PYTHON = '/usr/bin/python3'

/** Sends a request over a connection of its own; answers what came of it. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent: false, method: 'POST' }, (response) => {
      response.on('error', (error) => resolve(error.message))
      response.resume().on('end', () => resolve('answered'))
    })
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : error.message),
    )
    sent.end('x')
  })
}

function startServer(port: number) {
  return startProcess(process.execPath, [join(ROOT, 'test/support/port-that-closes.ts'), String(port)])
}

describe('a port that is closed', { skip }, () => {
  it('resets no connection, however many clients connect', async () => {
    const port = await freePort()
    const outcomes = new Map<string, number>()
    let isAsking = true
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (isAsking) {
        const outcome = await ask(port)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        await setTimeout(Math.random() * PAUSE)
      }
    })
    for (let round = 0; round < ROUNDS; round++) {
      const child = startServer(port)
      await once(child.stdout, 'data')
      await setTimeout(Math.random() * 50)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      assert.deepEqual(await exited, [0, null])
    }
    isAsking = false
    await Promise.all(clients)
    assert.deepEqual([...outcomes.keys()].sort(), ['answered', 'refused'], JSON.stringify([...outcomes]))
  })

  const skip = !existsSync(PYTHON) && 'needs Python'
  it('resets no client that took its handshake for complete when the queue was full', { skip }, async () => {
    const port = await freePort()
    const server = startServer(port)
    await once(server.stdout, 'data')
    const text = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const client = startProcess(PYTHON, [join(ROOT, 'test/support/slow-handshake.py'), String(port), text])
    const lines = createInterface(client.stdout)[Symbol.asyncIterator]()
    assert.equal((await lines.next()).value, 'begun')
    server.kill('SIGSTOP')
    const others = Array.from({ length: QUEUE }, () => connect(port, '127.0.0.1'))
    await Promise.all(others.map((other) => once(other, 'connect')))
    client.stdin.end('\n')
    assert.equal((await lines.next()).value, 'connected')
    const exited = once(server, 'exit')
    server.kill('SIGTERM')
    server.kill('SIGCONT')
    assert.equal((await lines.next()).value, 'HTTP/1.1 200 OK')
    for (const other of others) other.destroy()
    assert.deepEqual(await exited, [0, null])
  })
})
