import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { finished, startKalends } from '../support/processes.ts'
import { eventually, type Served, serveProcesses } from '../support/workers.ts'

const SERVE = ['serve', '--port', '0', '--host', '127.0.0.1']
const NOT_LINUX = process.platform !== 'linux' && 'finds processes as Linux has them'

describe('kalends serve --workers', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-workers-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  const serve = (name: string) => serveProcesses(['--workers', '2', '--data', join(folder, name)])

  /** A request that runs until it is finished by hand. */
  async function begin({ url, authorization }: Served) {
    const body = '{"venue":"Slow"}'
    const sent = request(`${url}/calendar/events/v1/venues`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    })
    const answer = new Promise<number | undefined>((resolve, reject) => {
      sent.on('response', (response: IncomingMessage) => resolve(response.resume().statusCode))
      sent.on('error', reject)
    })
    // It runs when it is asked for its body.
    sent.flushHeaders()
    await once(sent, 'continue')
    return { answer, finish: () => sent.end(body) }
  }

  it('finishes running requests when it is asked to stop, and takes no others', async () => {
    const served = await serve('stopped')
    const running = await begin(served)
    served.child.kill('SIGTERM')
    // One Ctrl-C that comes twice, as npm passes it on.
    served.child.kill('SIGINT')
    await eventually(() =>
      fetch(`${served.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    running.finish()
    assert.equal(await running.answer, 201)
    assert.equal(await served.closed, 0)
  })

  it('ends at once when it is asked again', async () => {
    const served = await serve('asked-again')
    const running = await begin(served)
    const cut = assert.rejects(running.answer)
    served.child.kill('SIGINT')
    await eventually(() => /SIGINT: finishing/.test(served.out()))
    assert.equal(served.child.exitCode, null)
    // What comes within 0.2 s is the same demand, passed on twice.
    await eventually(() => {
      served.child.kill('SIGINT')
      return served.child.exitCode !== null
    })
    assert.equal(await served.closed, 1)
    await cut
  })

  it('leaves no process behind when the primary one is killed', async () => {
    const served = await serve('killed')
    served.child.kill('SIGKILL')
    assert.equal(await served.closed, null)
  })

  it('starts another worker in place of one that is killed before all of them listen', {
    skip: NOT_LINUX,
  }, async () => {
    const child = startKalends([...SERVE, '--workers', '3', '--data', join(folder, 'killed-early')])
    const result = finished(child)
    const workers = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
    let seen = ''
    child.stdout.on('data', (data) => (seen += data))
    await eventually(() => workers().length === 3)
    for (const worker of workers()) process.kill(Number(worker), 'SIGKILL')
    await eventually(() => child.exitCode !== null || /listening at/.test(seen))
    child.kill('SIGTERM')
    const { code, out, err } = await result
    assert.deepEqual([code, err], [0, ''])
    assert.equal(out.match(/worker ended by SIGKILL; another is started/g)?.length, 3)
    assert.equal(out.match(/worker ready/g)?.length, 3)
  })

  it('gives up when a worker ends again and again', async () => {
    const served = await serve('failing')
    const killed = new Set<number>()
    await eventually(() => {
      for (const { msg, worker, process: pid } of served.log()) {
        if (msg !== 'worker ready' || worker !== 2 || pid === undefined || killed.has(pid)) continue
        killed.add(pid)
        process.kill(pid, 'SIGKILL')
      }
      return served.child.exitCode !== null
    })
    assert.equal(await served.closed, 1)
    assert.equal(killed.size, 5)
    assert.match(served.out(), /^kalends: worker 2 ended .* 5 times in a row, the last time by SIGKILL$/m)
  })
})
