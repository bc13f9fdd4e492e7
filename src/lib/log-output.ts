import { fstatSync, write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'

/** Lines wait for others until there are this many characters, or for this long in milliseconds: a write costs a system call. */
const TOGETHER = 8192
const LONGEST_WAIT = 50
/** The most characters that wait to be written. */
const MOST_WAITING = 1_048_576
/** So many bytes are written to a pipe as a whole or not at all (PIPE_BUF): lines of several processes do not mix. */
const WHOLE = 4096
const NEWLINE = 10

/** Called with an error, or null, and how many bytes were written. */
type Done = (error: Error | null, written: number) => void

/** Where bytes go. */
interface Sink {
  write(bytes: Buffer, done: Done): void
  /** Writes what can be written without waiting. */
  writeNow(bytes: Buffer): void
  /** Whether it may have a reader that does not read. */
  readonly canBeStuck: boolean
  /** The most characters that are written at once, unless a single line has more. */
  readonly atOnce: number
}

interface Line {
  readonly text: string
  /** How many lines are lost with it: itself, or those that it says were dropped. */
  readonly weight: number
}

/**
 * Standard output, for a log. The process never waits for it: lines that cannot be written, because a disk is full or
 * nobody reads them, are dropped and counted, and the next line that can be written says how many.
 */
export class LogOutput {
  readonly #sink: Sink = openSink(1)
  readonly #describeDropped: (count: number) => string
  #waiting: Line[] = []
  #waitingLength = 0
  #dropped = 0
  /** Too much waits: lines are dropped until half of it was written. */
  #isFull = false
  #isWriting = false
  /** The last line that was written was cut by an error. */
  #isCut = false
  #timer: NodeJS.Timeout | undefined
  #onDrained: (() => void) | undefined

  /** Takes a function that makes the line which says how many were dropped. */
  constructor(describeDropped: (count: number) => string) {
    this.#describeDropped = describeDropped
    process.on('exit', () => this.#flushNow())
  }

  /** Takes one line, with its end. */
  write(text: string): void {
    if (this.#isFull && this.#waitingLength < MOST_WAITING / 2) this.#isFull = false
    if (this.#isFull || this.#waitingLength + text.length > MOST_WAITING) {
      this.#isFull = true
      this.#dropped++
      return
    }
    this.#noteDropped()
    this.#add({ text, weight: 1 })
    if (this.#isWriting) return
    if (this.#waitingLength >= TOGETHER) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), LONGEST_WAIT).unref()
  }

  /** Settled when everything was written, or after so many milliseconds. */
  async drain(patience: number): Promise<void> {
    this.#noteDropped()
    this.#flush()
    if (!this.#isWriting) return
    const drained = new Promise<void>((resolve) => {
      this.#onDrained = resolve
    })
    await Promise.race([drained, sleep(patience, undefined, { ref: false })])
  }

  #add(line: Line): void {
    this.#waiting.push(line)
    this.#waitingLength += line.text.length
  }

  #noteDropped(): void {
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
    const lines = this.#take()
    this.#writeAll(lines, this.#bytesOf(lines), 0)
  }

  /** Those that are written next, at least one. */
  #take(): Line[] {
    let [count, length] = [0, 0]
    for (const { text } of this.#waiting) {
      if (count > 0 && length + text.length > this.#sink.atOnce) break
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
      if (error !== null) this.#dropped += weightBehind(lines, bytes.length - total)
      this.#isWriting = false
      this.#flush()
    })
  }

  /** At the end of the process nothing can be waited for. */
  #flushNow(): void {
    this.#noteDropped()
    // Behind what a stuck reader has not taken, nothing can be written.
    if ((this.#isWriting && this.#sink.canBeStuck) || this.#waiting.length === 0) return
    this.#sink.writeNow(this.#bytesOf(this.#waiting.splice(0)))
  }
}

/** How many lines are lost if so many bytes at the end of these were not written. */
function weightBehind(lines: readonly Line[], unwritten: number): number {
  let [lost, left] = [0, unwritten]
  for (const { text, weight } of lines.toReversed()) {
    if (left <= 0) break
    left -= Buffer.byteLength(text)
    lost += weight
  }
  return lost
}

/**
 * Files are written by Node's threads. What may have a reader who does not read is written without waiting: a thread that
 * waits for one would keep the process from ending.
 */
function openSink(fd: 1): Sink {
  const kind = fstatSync(fd)
  const isFile = kind.isFile() || (kind.isCharacterDevice() && !isatty(fd))
  return isFile ? fileSink(fd) : streamSink()
}

function fileSink(fd: number): Sink {
  return {
    write: (bytes, done) => write(fd, bytes, (error, written) => done(error, error === null ? written : 0)),
    writeNow: (bytes) => ignoreErrors(() => writeSync(fd, bytes)),
    canBeStuck: false,
    atOnce: 65_536,
  }
}

function streamSink(): Sink {
  const { stdout } = process
  // Node tells the writer too, and keeps the stream open.
  stdout.on('error', () => {})
  // Node waits for a terminal, also for one that was stopped with Ctrl+S.
  const { _handle: handle } = stdout as { _handle?: { setBlocking?(isBlocking: boolean): unknown } }
  if (stdout.isTTY) handle?.setBlocking?.(false)
  return {
    write: (bytes, done) => void stdout.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length)),
    writeNow: (bytes) => ignoreErrors(() => stdout.write(bytes)),
    canBeStuck: true,
    atOnce: WHOLE,
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // Nobody is left to tell.
  }
}
