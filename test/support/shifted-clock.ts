/** The environment of a process whose clock is so many seconds ahead, or behind; its own processes have the same. */
export function shiftedClock(seconds: number): Record<string, string> {
  const code = `
    const { now } = Date
    const shift = ${seconds * 1000}
    const RealDate = Date
    globalThis.Date = class Date extends RealDate {
      constructor(...given) { given.length === 0 ? super(now() + shift) : super(...given) }
      static now() { return now() + shift }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
