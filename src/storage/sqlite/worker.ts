import { parentPort, workerData } from 'node:worker_threads'
import { type Result, SqliteConnection } from './connection.ts'

/** Worker thread: runs the statements it receives, in order, and sends back each result. */

/** A statement. `isNext` is set if it ends the read transaction before it; `begin` starts its own transaction, if set. */
export interface Request {
  readonly isNext: boolean
  readonly begin: string | null
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** An error keeps the properties by which storage/dialect.ts classifies it. */
export type Reply = Result | { readonly message: string; readonly code: unknown; readonly errcode: unknown }

let connection: SqliteConnection | null = null

function execute({ isNext, begin, sql, parameters }: Request): Reply {
  try {
    connection ??= new SqliteConnection(workerData.file, workerData.expected)
    if (isNext) connection.execute('rollback', [])
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
