import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Scope } from '../domain/scope.ts'
import type { ImportReport } from './import-run.ts'
import { type FileOptions, importChunks } from './sent-file.ts'
import { HEAD, sourceKind } from './source-kind.ts'
import type { TableChunks } from './table/import-table.ts'

/** Imports a calendar or table of a file, as its content shows. Null if it is neither. */
export async function importFile(scope: Scope, path: string, options: FileOptions): Promise<ImportReport | null> {
  const { head, chunks } = await openFile(path)
  const kind = sourceKind(head)
  // The name tells only what the content does not.
  const isTable = kind === 'table' || (kind !== 'calendar' && /\.(csv|tsv)$/i.test(path))
  return importChunks(scope, chunks, isTable ? 'table' : kind, options)
}

/** The beginning of a file, and chunks that can be read twice. A pipe is kept in memory. */
async function openFile(path: string): Promise<{ head: Uint8Array; chunks: TableChunks }> {
  const file = await open(path)
  try {
    if ((await file.stat()).isFile()) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
      const chunks = { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() }
      return { head: buffer.subarray(0, bytesRead), chunks }
    }
    const chunks: Buffer[] = []
    for await (const chunk of file.createReadStream({ autoClose: false })) chunks.push(chunk)
    return { head: Buffer.concat(chunks.slice(0, 4)), chunks }
  } finally {
    await file.close()
  }
}
