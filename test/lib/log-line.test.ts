import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readableLine } from '../../src/lib/log-line.ts'
import { finished, startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { some } from '../support/thorough.ts'
import { serveProcesses } from '../support/workers.ts'

const TIME = Date.UTC(2031, 5, 1, 10, 49, 40)
const line = (fields: object) =>
  readableLine(`${JSON.stringify({ level: 30, time: TIME, pid: 1, hostname: 'h', ...fields })}\n`)

describe('a line of the log on a terminal', () => {
  it('names a request with its status and time', () => {
    const req = { method: 'GET', url: '/events/', ip: '192.0.2.1' }
    assert.equal(
      line({ reqId: 'x', req, res: { statusCode: 200 }, ms: 12.3, worker: 2, msg: 'answered' }),
      '10:49:40 info  GET /events/ 200, 12.3 ms, 192.0.2.1  worker=2\n',
    )
  })

  it('has details and the error in one line', () => {
    const err = {
      type: 'TypeError',
      message: 'no such\nthing',
      stack: 'TypeError: no such thing\n    at f (a.ts:1:2)\n    at g',
    }
    assert.equal(
      line({ level: 50, err, job: 'send-mail', attempts: 3, msg: 'job failed' }),
      '10:49:40 error job failed  job=send-mail attempts=3  TypeError: no such thing (at f (a.ts:1:2))\n',
    )
  })

  it('cannot be broken by a request', () => {
    const req = { method: 'GET', url: '/\x1b[31m\r\n12:00:00 error all is lost', ip: '::1' }
    const shown = line({ req, res: { statusCode: 404 }, ms: 1, msg: 'answered' })
    assert.equal(shown.split('\n').length, 2)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it must not be there
    assert.doesNotMatch(shown, /\x1b/)
  })

  it('stays as it is if it is not JSON', () => {
    assert.equal(readableLine('hello\n'), 'hello\n')
  })
})

describe('the log of a service', () => {
  it('is JSON on a pipe, and text where that is asked for', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-log-'))
    t.after(() => rmSync(folder, { recursive: true }))
    // Tests of workers read JSON from pipes, too.
    const formats: [string, RegExp][] = [
      ['text', /^\d\d:\d\d:\d\d info {2}Server listening at/m],
      ['auto', /^\{"level":30,.*Server listening at/m],
    ]
    for (const [format, pattern] of some(formats, 1)) {
      const served = await serveProcesses(['--data', join(folder, format)], { KALENDS_LOG_FORMAT: format })
      await (await fetch(`${served.url}/events/`)).text()
      served.child.kill('SIGTERM')
      await served.closed
      assert.match(served.out(), pattern)
      if (format === 'text') assert.match(served.out(), /^\d\d:\d\d:\d\d info {2}GET \/events\/ 200, [\d.]+ ms, /m)
    }
  })

  it('is readable on a terminal', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-log-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const command = `${process.execPath} ${join(ROOT, 'bin/kalends.js')} serve --port 0 --host 127.0.0.1 --data ${folder}`
    // `script` gives the process a terminal.
    const child = startProcess('script', ['-qfec', command, '/dev/null'], { env: { ...process.env, NO_COLOR: '1' } })
    child.on('error', () => {})
    let out = ''
    child.stdout.on('data', (data) => {
      out += data
      if (/listening at/.test(out)) child.kill('SIGTERM')
    })
    await finished(child)
    if (out === '') return t.skip('there is no program "script"')
    assert.match(out, /^\d\d:\d\d:\d\d info {2}Server listening at http/m)
    assert.doesNotMatch(out, /^\{/m)
  })
})
