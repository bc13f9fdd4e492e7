import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { eventually } from '../support/workers.ts'

const skip = process.platform !== 'linux' && 'needs /dev/full and named pipes as Linux has them'
/** A path that makes a long line of the log. */
const LONG = `/nowhere?x=${'x'.repeat(3000)}`
/** Enough of them to fill a pipe and all that may wait in memory. */
const MANY = 1200
/** How long a stop without running requests may take, in milliseconds. */
const STOP = 8000

interface Line {
  readonly msg?: string
  readonly dropped?: number
  readonly req?: { readonly url: string }
}

interface Served {
  readonly child: ChildProcess
  readonly url: string
  /** What it has written on its standard error. */
  err(): string
}

describe('a log of a process that exits', () => {
  /** Sends requests to a service of its own, and exits while their lines wait. */
  const program = (count: number, end: string) => `
    import { createLogger } from ${JSON.stringify(join(ROOT, 'src/log.ts'))}
    import { startService } from ${JSON.stringify(join(ROOT, 'test/support/service.ts'))}
    const service = await startService({ logger: createLogger({ logLevel: 'info', logFormat: 'json' }) })
    for (let n = 0; n < ${count}; n++) await service.call(null, '/nowhere')
    ${end}`

  for (const [name, end] of [
    ['exits', 'process.exit(1)'],
    ['fails', 'queueMicrotask(() => { throw new Error("on purpose") })'],
  ] as const)
    it(`has all lines when the process ${name}, to a pipe that is read`, async () => {
      const args = ['--input-type=module-typescript', '--eval', program(200, end)]
      const { stdout } = startProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      assert.ok(stdout !== null)
      const texts = await stdout.setEncoding('utf8').toArray()
      assert.equal(read(texts.join('')).filter(({ msg }) => msg === 'answered').length, 200)
    })
})

for (const workers of ['1', '2']) {
  describe(`a log that cannot be written, ${workers === '1' ? 'of one process' : 'with workers'}`, { skip }, () => {
    let folder: string
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'kalends-log-'))
    })
    after(() => rmSync(folder, { recursive: true }))

    /** Starts the service with this as its standard output, and waits until it answers. */
    async function serve(name: string, output: number | 'pipe'): Promise<Served> {
      const port = await freePort()
      const args = ['--port', String(port), '--host', '127.0.0.1', '--workers', workers, '--data', join(folder, name)]
      const child = startProcess(process.execPath, [join(ROOT, 'bin/kalends.js'), 'serve', ...args], {
        stdio: ['ignore', output, 'pipe'],
        env: { ...process.env, KALENDS_STOP_DELAY: '0' },
      })
      let err = ''
      child.stderr?.on('data', (data) => {
        err += data
      })
      const url = `http://127.0.0.1:${port}`
      await eventually(async () => {
        assert.equal(child.exitCode, null, err)
        return fetch(`${url}/healthz`).then(
          ({ status }) => status === 200,
          () => false,
        )
      })
      return { child, url, err: () => err }
    }

    /** Sends the same request so many times, over two connections, and waits for all answers. */
    async function ask(url: string, path: string, count: number): Promise<void> {
      const answers = await Promise.all([0, 1].map(() => exchange(Number(new URL(url).port), path, count / 2)))
      assert.deepEqual(answers, [count / 2, count / 2])
    }

    /** Stops it, which must not take longer than usual. */
    async function stop({ child, err }: Served): Promise<void> {
      const start = performance.now()
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await exited
      assert.equal(code, 0, err())
      assert.ok(performance.now() - start < STOP, `it took ${performance.now() - start} ms`)
    }

    it('on a full disk, stops nothing: requests are answered, and the service ends when it is asked to', async () => {
      const full = openSync('/dev/full', 'w')
      const served = await serve('full', full)
      closeSync(full)
      await ask(served.url, '/nowhere', 100)
      // The first administrator is shown nevertheless, once.
      await eventually(() => /password {2}\S+/.test(served.err()))
      assert.doesNotMatch(served.err(), /ENOSPC|Error/)
      await stop(served)
    })

    it('to a closed pipe, drops lines, and counts them when somebody reads again', async () => {
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
      const writer = openSync(pipe, constants.O_WRONLY)
      const served = await serve('closed', writer)
      closeSync(writer)
      follow(reader)()
      closeSync(reader)
      await ask(served.url, '/nowhere', 100)
      // Lines wait for others, for less than this.
      await setTimeout(300)
      const lines = follow(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK))
      // Lines of a process say what that process has dropped.
      await eventually(async () => {
        await ask(served.url, '/after', 20)
        return told(lines()) + droppedIn(lines()) >= 100
      })
      const first = lines().find(({ msg, dropped }) => msg === 'answered' || dropped !== undefined)
      assert.ok(Number(first?.dropped) > 0, JSON.stringify(first))
      assert.equal(first?.msg, 'log lines were dropped')
      await stop(served)
    })

    it('to a reader that is stuck, keeps some in memory, drops the others, and tells how many', async () => {
      const served = await serve('stuck', 'pipe')
      await ask(served.url, LONG, MANY)
      const { stdout } = served.child
      assert.ok(stdout !== null)
      let text = ''
      stdout.setEncoding('utf8').on('data', (data) => {
        text += data
      })
      const lines = () => read(text)
      let after = 0
      await eventually(async () => {
        await ask(served.url, '/after', 20)
        after += 20
        return told(lines()) + droppedIn(lines()) >= MANY
      })
      assert.ok(told(lines()) > 0 && droppedIn(lines()) > 0, `${told(lines())} told, ${droppedIn(lines())} dropped`)
      const closed = once(stdout, 'close')
      await stop(served)
      await closed
      const answered = lines().filter(({ msg }) => msg === 'answered').length
      assert.equal(answered + droppedIn(lines()), MANY + after)
      // Nothing is cut.
      for (const line of text.split('\n').filter((part) => part.startsWith('{'))) JSON.parse(line)
    })

    it('to a reader that is stuck does not keep the service from ending', async () => {
      const served = await serve('stuck-at-end', 'pipe')
      await ask(served.url, LONG, MANY)
      await stop(served)
    })
  })
}

/** Sends requests for a path that is not there, one behind the other; answers how many were answered so. */
async function exchange(port: number, path: string, count: number): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  const lines = Array.from({ length: count }, (_, n) => [
    `GET ${path} HTTP/1.1`,
    'host: x',
    ...(n === count - 1 ? ['connection: close'] : []),
    '\r\n',
  ])
  socket.setTimeout(20_000, () => socket.destroy(new Error('no answer for 20 seconds')))
  socket.write(lines.map((head) => head.join('\r\n')).join(''))
  const answers = Buffer.concat(await socket.toArray()).toString()
  return answers.split('HTTP/1.1 404').length - 1
}

function read(text: string): Line[] {
  // The last may not be finished.
  const lines = text.split('\n').slice(0, -1)
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line)
}

/** How many lines tell of requests for /nowhere. */
function told(lines: readonly Line[]): number {
  return lines.filter(({ req }) => req?.url.startsWith('/nowhere')).length
}

function droppedIn(lines: readonly Line[]): number {
  return lines.reduce((sum, { dropped = 0 }) => sum + dropped, 0)
}

/** What comes out of a named pipe. */
function follow(fd: number): () => Line[] {
  const chunk = Buffer.alloc(65_536)
  let text = ''
  return () => {
    for (;;) {
      try {
        const length = readSync(fd, chunk)
        if (length === 0) return read(text)
        text += chunk.toString('utf8', 0, length)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return read(text)
        throw error
      }
    }
  }
}
