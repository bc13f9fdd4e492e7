import { parentPort, workerData } from 'node:worker_threads'
import { type Result, SqliteConnection } from './connection.ts'

/** Runs in a thread of its own: executes the statements that it is sent, in order, and sends back each result. */

/** `begin` starts the transaction that the statement belongs to. */
export interface Request {
  readonly begin: string | null
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** A failure keeps what storage/dialect.ts recognises errors by. */
export type Reply = Result | { readonly message: string; readonly code: unknown; readonly errcode: unknown }

let connection: SqliteConnection | null = null

function execute({ begin, sql, parameters }: Request): Reply {
  try {
    connection ??= new SqliteConnection(workerData.file)
    if (begin !== null) connection.execute(begin, [])
    return connection.execute(sql, parameters)
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    return { message, code, errcode }
  }
}

parentPort?.on('message', (request: Request | null) => {
  if (request !== null) parentPort?.postMessage(execute(request))
  else {
    connection?.close()
    parentPort?.close()
  }
})
