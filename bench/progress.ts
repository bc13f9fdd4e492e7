const { stdout, stderr } = process

/** A line that stays. */
export function say(text = ''): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
  stdout.write(`${text}\n`)
}

/** What is going on now; on a terminal the next line takes its place, elsewhere nobody waits for it. */
export function show(text: string): void {
  if (stderr.isTTY) stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
}
