import { fstatSync, write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'

/** Lines are buffered up to this many characters, or for this long in milliseconds: each write is a system call. */
const FLUSH_LENGTH = 8192
const FLUSH_DELAY = 50
/** Limit on buffered characters. */
const MAX_WAITING = 1_048_576
/** PIPE_BUF: a write of this many bytes to a pipe is atomic, so lines of several processes do not mix. */
const PIPE_BUF = 4096
const NEWLINE = 10

/** Called with an error or null, and the number of bytes written. */
type Done = (error: Error | null, written: number) => void

interface Sink {
  write(bytes: Buffer, done: Done): void
  /** Writes without blocking, as much as possible. */
  writeNow(bytes: Buffer): void
  /** Whether a reader has not taken what was written. */
  isBlocked(): boolean
  /** Limit on characters per write; a single line may have more. */
  readonly maxLength: number
}

interface Line {
  readonly text: string
  /** Number of lines lost with it: itself, or those that it reports as dropped. */
  readonly weight: number
}

/**
 * Standard output for logs that never blocks the process. Lines that cannot be written, because the disk is full or
 * nobody reads the pipe, are dropped and counted; the next line that can be written reports the count.
 */
export class LogOutput {
  readonly #sink: Sink = openSink(1)
  readonly #describeDropped: (count: number) => string
  #waiting: Line[] = []
  #waitingLength = 0
  #dropped = 0
  /** The buffer is full: lines are dropped until half of it is written. */
  #isFull = false
  #isWriting = false
  /** An error cut off the last line. */
  #isCut = false
  /** The process exits: lines are written at once. */
  #isExiting = false
  #timer: NodeJS.Timeout | undefined
  #onDrained: (() => void) | undefined

  /** `describeDropped` formats the line that reports dropped lines. */
  constructor(describeDropped: (count: number) => string) {
    this.#describeDropped = describeDropped
    process.on('exit', () => {
      this.#isExiting = true
      this.#flushNow()
    })
  }

  /** Takes one line, with its newline. */
  write(text: string): void {
    if (this.#isFull && this.#waitingLength < MAX_WAITING / 2) this.#isFull = false
    if (this.#isFull || this.#waitingLength + text.length > MAX_WAITING) {
      this.#isFull = true
      this.#dropped++
      return
    }
    this.#reportDropped()
    this.#add({ text, weight: 1 })
    if (this.#isExiting) this.#flushNow()
    else if (this.#isWriting) return
    else if (this.#waitingLength >= FLUSH_LENGTH) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_DELAY).unref()
  }

  /** Resolves when everything is written, or after `timeout` milliseconds. */
  async drain(timeout: number): Promise<void> {
    this.#reportDropped()
    this.#flush()
    if (!this.#isWriting) return
    const drained = new Promise<void>((resolve) => {
      this.#onDrained = resolve
    })
    await Promise.race([drained, sleep(timeout, undefined, { ref: false })])
  }

  #add(line: Line): void {
    this.#waiting.push(line)
    this.#waitingLength += line.text.length
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return
    this.#add({ text: this.#describeDropped(this.#dropped), weight: this.#dropped })
    this.#dropped = 0
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isWriting) return
    if (this.#waiting.length === 0) {
      this.#onDrained?.()
      return
    }
    this.#isWriting = true
    const lines = this.#takeBatch()
    this.#writeAll(lines, this.#bytesOf(lines), 0)
  }

  /** Takes the lines of the next write, at least one. */
  #takeBatch(): Line[] {
    let [count, length] = [0, 0]
    for (const { text } of this.#waiting) {
      if (count > 0 && length + text.length > this.#sink.maxLength) break
      length += text.length
      count++
    }
    this.#waitingLength -= length
    return this.#waiting.splice(0, count)
  }

  #bytesOf(lines: readonly Line[]): Buffer {
    return Buffer.from(`${this.#isCut ? '\n' : ''}${lines.map(({ text }) => text).join('')}`)
  }

  #writeAll(lines: readonly Line[], bytes: Buffer, before: number): void {
    this.#sink.write(bytes.subarray(before), (error, written) => {
      const total = before + written
      if (error === null && total < bytes.length) return this.#writeAll(lines, bytes, total)
      if (total > 0) this.#isCut = bytes[total - 1] !== NEWLINE
      if (error !== null) this.#dropped += lostLines(lines, bytes.length - total)
      this.#isWriting = false
      this.#flush()
    })
  }

  /** Last write before the process exits, synchronous. */
  #flushNow(): void {
    this.#reportDropped()
    // Nothing can be written after data that a blocked reader has not taken.
    if (this.#waiting.length === 0 || this.#sink.isBlocked()) return
    this.#waitingLength = 0
    this.#sink.writeNow(this.#bytesOf(this.#waiting.splice(0)))
  }
}

/** Number of lines lost if the last `unwritten` bytes were not written. */
function lostLines(lines: readonly Line[], unwritten: number): number {
  let [lost, left] = [0, unwritten]
  for (const { text, weight } of lines.toReversed()) {
    if (left <= 0) break
    left -= Buffer.byteLength(text)
    lost += weight
  }
  return lost
}

/**
 * Files are written by Node's thread pool. Pipes and terminals are written without blocking: a blocked thread would
 * keep the process from exiting.
 */
function openSink(fd: 1): Sink {
  const stats = fstatSync(fd)
  const isFile = stats.isFile() || (stats.isCharacterDevice() && !isatty(fd))
  return isFile ? fileSink(fd) : streamSink()
}

function fileSink(fd: number): Sink {
  return {
    write: (bytes, done) => write(fd, bytes, (error, written) => done(error, error === null ? written : 0)),
    writeNow: (bytes) => ignoreErrors(() => writeSync(fd, bytes)),
    isBlocked: () => false,
    maxLength: 65_536,
  }
}

/** What Node writes a stream to. */
interface Handle {
  setBlocking?(isBlocking: boolean): unknown
  /** Bytes that the system has not taken. */
  readonly writeQueueSize?: number
}

function streamSink(): Sink {
  const { stdout } = process
  // The write callback gets the error, too; the stream stays open.
  stdout.on('error', () => {})
  // Node writes to terminals synchronously, and would block on one stopped with Ctrl+S.
  const { _handle: handle } = stdout as { _handle?: Handle }
  if (stdout.isTTY) handle?.setBlocking?.(false)
  return {
    write: (bytes, done) => void stdout.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length)),
    writeNow: (bytes) => ignoreErrors(() => stdout.write(bytes)),
    isBlocked: () => (handle?.writeQueueSize ?? 0) > 0,
    maxLength: PIPE_BUF,
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // The process is exiting: the error cannot be reported.
  }
}
