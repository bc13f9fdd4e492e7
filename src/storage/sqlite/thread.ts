import { Worker } from 'node:worker_threads'
import type { Result } from './connection.ts'
import type { Reply, Request } from './worker.ts'

interface Waiting {
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * A connection to a database file in a thread of its own: while a statement runs there, the main thread goes on answering.
 * Statements run in the order in which they are sent. The thread is started by the first of them.
 */
export class SqliteThread {
  readonly #file: string
  #worker: Worker | null = null
  #waiting: Waiting[] = []
  #begin: string | null = null

  constructor(file: string) {
    this.#file = file
  }

  /** Begins a transaction together with the next statement, which saves a round trip. */
  beginLater(begin: string): void {
    this.#begin = begin
  }

  /** Whether a transaction was asked for, and no statement of it was sent yet. */
  get hasNotBegun(): boolean {
    return this.#begin !== null
  }

  /** Forgets a transaction of which no statement was sent. */
  forgetBegin(): void {
    this.#begin = null
  }

  execute(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const request: Request = { begin: this.#begin, sql, parameters }
    this.#begin = null
    const worker = this.#worker ?? this.#start()
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) worker.ref()
      this.#waiting.push({ resolve, reject })
      worker.postMessage(request)
    })
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    this.#worker = null
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    worker.postMessage(null)
    await ended
  }

  #start(): Worker {
    // Sources run as they are; a published package has what was built from them.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
      workerData: { file: this.#file },
      name: 'kalends-sqlite',
    })
    worker.on('message', (reply: Reply) => this.#receive(worker, reply))
    // A thread that dies fails what waits for it; the next statement starts another.
    worker.on('error', (error: Error) => this.#fail(error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      this.#fail(new Error('the database thread has ended'))
    })
    // An idle thread does not keep the process alive.
    worker.unref()
    this.#worker = worker
    return worker
  }

  #receive(worker: Worker, reply: Reply): void {
    const waiting = this.#waiting.shift()
    // While it is closed, its end is waited for.
    if (this.#waiting.length === 0 && this.#worker === worker) worker.unref()
    if ('message' in reply) waiting?.reject(Object.assign(new Error(reply.message), reply))
    else waiting?.resolve(reply)
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
