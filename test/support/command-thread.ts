import { parentPort } from 'node:worker_threads'
import { run } from '../../src/cli/program.ts'

/** Runs the commands that it is sent, one at a time, and sends back what each has written. */

interface Order {
  readonly args: readonly string[]
  readonly env: Record<string, string>
}

const out = collect(process.stdout)
const err = collect(process.stderr)

parentPort?.on('message', async ({ args, env }: Order) => {
  // The thread has a copy of its own of both.
  process.env = { ...env, TZ: 'UTC' }
  process.exitCode = undefined
  await run(args)
  parentPort?.postMessage({ code: process.exitCode ?? 0, out: out(), err: err() })
})

/** Keeps what is written to a stream; answers it, and begins anew, when it is called. */
function collect(stream: NodeJS.WriteStream): () => string {
  let chunks: Buffer[] = []
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    chunks.push(Buffer.from(chunk as string))
    const done = rest.find((argument) => typeof argument === 'function')
    if (done !== undefined) process.nextTick(done)
    return true
  }
  return () => {
    const text = Buffer.concat(chunks).toString()
    chunks = []
    return text
  }
}
