import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { follows } from './stamp.ts'
import { type Log, readLog } from './write-ahead-log.ts'

/** How much of a database file tells what it is: see https://www.sqlite.org/fileformat2.html#the_database_header. */
const HEADER = 100
/** How many statements that change tables another program may have run in one transaction. */
const MOST_DEFINITIONS = 64
/** How often a database that others change meanwhile is looked at. */
const ATTEMPTS = 5

/** The database file was replaced, and the log of the former one lies beside it. */
export class ForeignLogError extends Error {
  readonly code = 'FOREIGN_LOG'
}

/** The files that this process has open, and how often. */
const open = new Map<string, number>()

/** Says that a database file is to be opened, which is refused if its log is another's; answers whether it has a log. */
export function openFile(file: string): boolean {
  const others = open.get(file) ?? 0
  const hasLog = others > 0 || refuseForeignLog(file)
  open.set(file, others + 1)
  return hasLog
}

/** Says that a database file was closed. */
export function closeFile(file: string): void {
  open.set(file, (open.get(file) ?? 1) - 1)
}

/**
 * Refuses a database file with a log that belongs to another: SQLite would write the pages of the log into the file,
 * which destroys it. Answers whether there is a log with anything in it. It opens and closes the file, which ends all locks
 * that the process has on it: nobody else in the process may have it open.
 */
function refuseForeignLog(file: string): boolean {
  for (let attempt = 1; ; attempt++) {
    const header = readHeader(file)
    const found = readLog(`${file}-wal`, (log) => ({ header: log?.header, verdict: judge(header, log) }))
    if (found.verdict !== 'foreign') return found.verdict === 'own'
    // Another process has moved pages from the log to the file, or begun the log anew, between both looks.
    const isStill =
      header.equals(readHeader(file)) && readLog(`${file}-wal`, (log) => isSame(found.header, log?.header))
    if (isStill) throw new ForeignLogError(sentence(file, header.length === 0))
    if (attempt === ATTEMPTS) return true
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined ? other === undefined : other !== undefined && one.equals(other)
}

function sentence(file: string, isEmpty: boolean): string {
  const name = basename(file)
  const rest = `${name}-wal and ${name}-shm`
  return isEmpty
    ? `${file} is missing or empty, and the log of a former database lies beside it: put the database file back, or remove ${rest} to begin anew; writes that only the log has are lost then`
    : `${file} and the log beside it, ${name}-wal, do not belong together: the file was replaced, and the log of the former file was left. To use the file as it is, remove ${rest} and start again; to go on with the former database, put its file back`
}

/** The beginning of a database file; empty if there is no such file. */
function readHeader(file: string): Buffer {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
  try {
    const header = Buffer.alloc(HEADER)
    return header.subarray(0, readSync(descriptor, header, 0, HEADER, 0))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Whether a log is the database's own: the first page of the file is as the log has it, if some of the log was moved to the
 * file already; else the log's first commit follows the one that the file ends with.
 */
function judge(header: Buffer, log: Log | null): 'none' | 'own' | 'foreign' {
  if (log === null) return 'none'
  let first: Buffer | null = null
  let hasCommit = false
  for (const { page, isCommit, content } of log.frames) {
    if (page === 1) {
      first ??= Buffer.from(content.subarray(0, HEADER))
      if (header.length === HEADER && isOwn(header, first, content.subarray(0, HEADER), log.pageSize)) return 'own'
    }
    hasCommit ||= isCommit
  }
  // A transaction that did not end is not read by SQLite.
  if (!hasCommit) return 'none'
  // Pages of other programs and earlier versions alone tell nothing.
  if (first === null && header.length === HEADER && hasLog(header, log.pageSize)) return 'own'
  return 'foreign'
}

function isOwn(header: Buffer, first: Buffer, page: Buffer, pageSize: number): boolean {
  if (!hasLog(header, pageSize)) return false
  if (header.equals(page)) return true
  if (follows(stampOf(first), stampOf(header))) return true
  // Others write without stamps: then nothing but the tables can have changed.
  const definitions = cookieOf(first) - cookieOf(header)
  return stampOf(first) === stampOf(header) && definitions >= 0 && definitions <= MOST_DEFINITIONS
}

/** Whether a file with this header can have a log: what `VACUUM INTO` makes cannot. */
function hasLog(header: Buffer, pageSize: number): boolean {
  const size = header.readUInt16BE(16)
  return header[19] === 2 && (size === 1 ? 65_536 : size) === pageSize
}

/** See stamp.ts. */
function stampOf(header: Buffer): number {
  return header.readInt32BE(60)
}

/** Counts the changes of tables. */
function cookieOf(header: Buffer): number {
  return header.readUInt32BE(40)
}
