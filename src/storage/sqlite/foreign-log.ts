import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { follows } from './stamp.ts'
import { type Log, readLog } from './write-ahead-log.ts'

/** Size of the database header, in bytes: see https://www.sqlite.org/fileformat2.html#the_database_header. */
const HEADER_BYTES = 100
/** Limit on DDL statements that another program may have run in one transaction. */
const MAX_DEFINITIONS = 64
/** Attempts to read a database that others are changing. */
const ATTEMPTS = 5

/** The database file was replaced, but the WAL of the former file is still there. */
export class ForeignLogError extends Error {
  readonly code = 'FOREIGN_LOG'
}

/** Database files that this process has open, with counts. */
const open = new Map<string, number>()

/**
 * Registers a database file before it is opened. Throws if its WAL belongs to another file. Returns whether it has a
 * WAL.
 */
export function registerFile(file: string): boolean {
  const others = open.get(file) ?? 0
  const hasLog = others > 0 || throwIfForeignLog(file)
  open.set(file, others + 1)
  return hasLog
}

/** Unregisters a closed database file. */
export function unregisterFile(file: string): void {
  open.set(file, (open.get(file) ?? 1) - 1)
}

/**
 * Throws if the WAL belongs to another database file: SQLite would copy its pages into the file and destroy it. Returns
 * whether there is a WAL with content. It opens and closes the file, which releases all locks of this process on it, so
 * nothing else in the process may have it open.
 */
function throwIfForeignLog(file: string): boolean {
  for (let attempt = 1; ; attempt++) {
    const header = readHeader(file)
    const found = readLog(`${file}-wal`, (log) => ({ header: log?.header, verdict: classifyLog(header, log) }))
    if (found.verdict !== 'foreign') return found.verdict === 'own'
    // Another process may have checkpointed or restarted the WAL between both reads.
    const isStill =
      header.equals(readHeader(file)) && readLog(`${file}-wal`, (log) => isSame(found.header, log?.header))
    if (isStill) throw new ForeignLogError(describe(file, header.length === 0))
    if (attempt === ATTEMPTS) return true
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined ? other === undefined : other !== undefined && one.equals(other)
}

function describe(file: string, isEmpty: boolean): string {
  const name = basename(file)
  const rest = `${name}-wal and ${name}-shm`
  return isEmpty
    ? `${file} is missing or empty, and the log of a former database lies beside it: put the database file back, or remove ${rest} to begin anew; writes that only the log has are lost then`
    : `${file} and the log beside it, ${name}-wal, do not belong together: the file was replaced, and the log of the former file was left. To use the file as it is, remove ${rest} and start again; to go on with the former database, put its file back`
}

/** Header of a database file; empty if there is no such file. */
function readHeader(file: string): Buffer {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Decides whether a WAL belongs to a database file: either the file's first page is one of the WAL, after a checkpoint,
 * or the first commit of the WAL follows the last commit of the file.
 */
function classifyLog(header: Buffer, log: Log | null): 'none' | 'own' | 'foreign' {
  if (log === null) return 'none'
  let first: Buffer | null = null
  let hasCommit = false
  for (const { page, isCommit, content } of log.frames) {
    if (page === 1) {
      first ??= Buffer.from(content.subarray(0, HEADER_BYTES))
      if (header.length === HEADER_BYTES && isOwn(header, first, content.subarray(0, HEADER_BYTES), log.pageSize))
        return 'own'
    }
    hasCommit ||= isCommit
  }
  // SQLite ignores an uncommitted transaction.
  if (!hasCommit) return 'none'
  // Commits by other programs and earlier versions have no stamp to compare.
  if (first === null && header.length === HEADER_BYTES && hasLog(header, log.pageSize)) return 'own'
  return 'foreign'
}

function isOwn(header: Buffer, first: Buffer, page: Buffer, pageSize: number): boolean {
  if (!hasLog(header, pageSize)) return false
  if (header.equals(page)) return true
  if (follows(stampOf(first), stampOf(header))) return true
  // Other programs write no stamps: then only DDL can have changed the header.
  const definitions = cookieOf(first) - cookieOf(header)
  return stampOf(first) === stampOf(header) && definitions >= 0 && definitions <= MAX_DEFINITIONS
}

/** Whether a file with this header can have a WAL. The result of `VACUUM INTO` cannot. */
function hasLog(header: Buffer, pageSize: number): boolean {
  const size = header.readUInt16BE(16)
  return header[19] === 2 && (size === 1 ? 65_536 : size) === pageSize
}

/** See stamp.ts. */
function stampOf(header: Buffer): number {
  return header.readInt32BE(60)
}

/** The schema cookie, which counts DDL statements. */
function cookieOf(header: Buffer): number {
  return header.readUInt32BE(40)
}
