import { Worker } from 'node:worker_threads'
import type { Result } from './connection.ts'
import type { FileIdentity } from './file-identity.ts'
import type { Reply, Request } from './worker.ts'

interface Waiting {
  resolve(result: Result): void
  reject(error: Error): void
}

/** Checks the integrity of a database file on a connection of its own. Returns the damage, if any. */
export async function findDamage(
  file: string,
  identity: FileIdentity | null,
  isThorough = false,
): Promise<string | null> {
  const thread = new SqliteThread(file, identity)
  try {
    const result = await thread.execute(`pragma ${isThorough ? 'integrity_check' : 'quick_check'}(1)`, [])
    const found = String('cells' in result && result.cells[0]?.[0])
    // The damage of a page comes in two lines.
    return found === 'ok' ? null : found.replace(/\s*\n\s*/g, ' ')
  } finally {
    await thread.close()
  }
}

/**
 * A connection in a worker thread, so that statements do not block the main thread. Statements run in the order in
 * which they are sent. The first one starts the thread.
 */
export class SqliteThread {
  readonly #file: string
  readonly #identity: FileIdentity | null
  #worker: Worker | null = null
  #waiting: Waiting[] = []
  #begin: string | null = null
  /** Whether a read transaction is over, and was not ended yet. */
  #isOver = false

  constructor(file: string, identity: FileIdentity | null) {
    this.#file = file
    this.#identity = identity
  }

  /** Begins a transaction with the next statement, which saves a round trip. */
  beginLater(begin: string): void {
    this.#begin = begin
  }

  /** Whether a transaction is pending and none of its statements was sent yet. */
  get hasNotBegun(): boolean {
    return this.#begin !== null
  }

  /** Discards a pending transaction. */
  forgetBegin(): void {
    this.#begin = null
  }

  /** Ends a read transaction with the next statement, or in a moment. Messages to a thread take longer than most statements. */
  endLater(): void {
    this.#isOver = true
    setImmediate(() => {
      if (this.#isOver && this.#worker !== null) this.execute('rollback', []).catch(() => {})
    })
  }

  execute(sql: string, parameters: readonly unknown[]): Promise<Result> {
    const request: Request = { isNext: this.#isOver, begin: this.#begin, sql, parameters }
    this.#isOver = false
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
    // Node runs the .ts sources; the published package has compiled .js files.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
      workerData: { file: this.#file, expected: this.#identity?.known ?? null },
      name: 'kalends-sqlite',
    })
    worker.on('message', (reply: Reply) => this.#receive(worker, reply))
    // If the thread dies, pending statements fail; the next statement starts another.
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
    // During close, its exit is awaited.
    if (this.#waiting.length === 0 && this.#worker === worker) worker.unref()
    if ('message' in reply) waiting?.reject(Object.assign(new Error(reply.message), reply))
    else waiting?.resolve(reply)
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
