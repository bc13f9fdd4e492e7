/** Progress on a terminal: one line that is updated in place. Elsewhere nothing is written. */
export class ProgressLine {
  #step = ''
  #length = 0
  #shown = Number.NEGATIVE_INFINITY

  show = (step: string, done: number, of: number): void => {
    if (!process.stderr.isTTY) return
    if (step !== this.#step) this.end()
    this.#step = step
    // Ten times a second at most.
    if (done < of && performance.now() - this.#shown < 100) return
    this.#shown = performance.now()
    const text = `${step}: ${of === 0 ? 100 : Math.floor((done / of) * 100)} %`
    process.stderr.write(`\r${text.padEnd(this.#length)}`)
    this.#length = text.length
  }

  /** Ends the line, if there is one. */
  end(): void {
    if (this.#length > 0) process.stderr.write('\n')
    this.#length = 0
    this.#step = ''
  }
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes, as people write it. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`
}
