import { after } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { Result } from './processes.ts'

let worker: Worker | undefined
let last: Promise<unknown> = Promise.resolve()

// A worker that is left would keep the test file from ending.
after(() => worker?.terminate())

/**
 * Runs a command of the command line until it ends, in a thread that has its own environment and output. That takes a
 * fraction of the time of a process; tests of signals, of the exit and of locks start a process instead.
 */
export function runCommand(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const result = last.then(() => ask(args, env))
  last = result.catch(() => {})
  return result
}

function ask(args: readonly string[], env: Record<string, string>): Promise<Result> {
  worker ??= new Worker(new URL('command-thread.ts', import.meta.url))
  const thread = worker
  return new Promise((resolve, reject) => {
    const onResult = (result: Result) => {
      thread.off('error', onError)
      thread.off('exit', onExit)
      resolve(result)
    }
    // The thread ends with what the command has thrown.
    const onError = (error: unknown) => {
      thread.off('message', onResult)
      worker = undefined
      reject(error)
    }
    const onExit = () => onError(new Error(`"${args.join(' ')}" has ended its thread`))
    thread.once('message', onResult)
    thread.once('error', onError)
    thread.once('exit', onExit)
    thread.postMessage({ args, env: { ...process.env, ...env } })
  })
}
