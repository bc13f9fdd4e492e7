import { parseArgs } from 'node:util'
import { FIRST_WORKS } from './first.ts'
import type { SuiteOptions } from './suite.ts'
import { WORKS } from './works.ts'

/** How many events the committed ratios are of. */
export const EVENTS = 100_000
/** How long they are measured: what is shorter is too much a matter of chance to be kept. */
const SECONDS = 3
const ROUNDS = 3

const NAMES = [...new Set([...FIRST_WORKS, ...WORKS].map((work) => work.name))]

const USAGE = `Usage: npm run bench -- [flags]
       npm run bench:growth -- [flags]

  --events N      events in the database (bench alone; ${EVENTS} if not given)
  --seconds S     how long a round takes (${SECONDS})
  --rounds R      how often each side is measured (${ROUNDS})
  --only NAME     these works alone, comma-separated: ${NAMES.join(', ')}
  --series        half of the events are occurrences of weekly series (bench alone)
  --postgres      on PostgreSQL (bench alone)
  --check         compare with bench/ratios.json, write nothing, fail if a work lost more than 20 %
  --keep          keep the seeded database (SQLite) for the next run; a kept one is always used
  --log LEVEL     log level of the service (info; its log goes nowhere)

A run of all works, at least this long, writes docs/performance.md, its plot and bench/ratios.json; any other only prints.
`

export interface Options extends SuiteOptions {
  readonly check: boolean
  /** Whether it is the run that the documents are about. */
  readonly whole: boolean
}

/** The flags; what cannot be used ends the program with a sentence. */
export function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        events: { type: 'string', default: String(EVENTS) },
        seconds: { type: 'string', default: String(SECONDS) },
        rounds: { type: 'string', default: String(ROUNDS) },
        only: { type: 'string', default: NAMES.join() },
        series: { type: 'boolean', default: false },
        postgres: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        log: { type: 'string', default: 'info' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(USAGE)
      process.exit()
    }
    const only = values.only.split(',')
    const unknown = only.find((name) => !NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`--only must be of ${NAMES.join(', ')}, and "${unknown}" is not`)
    const { series, postgres, check, keep, log } = values
    const [events, seconds, rounds] = [
      whole('events', values.events, 100),
      whole('seconds', values.seconds, 1),
      whole('rounds', values.rounds, 1),
    ]
    const isLong = events === EVENTS && seconds >= SECONDS && rounds >= ROUNDS
    const isWhole = only.length === NAMES.length && isLong && !series
    return { events, seconds, rounds, only, series, postgres, check, keep, log, whole: isWhole }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    process.exit(2)
  }
}

function whole(name: string, text: string, least: number): number {
  if (!/^\d{1,8}$/.test(text) || Number(text) < least)
    throw new Error(`--${name} must be a whole number from ${least} on, and "${text}" is not`)
  return Number(text)
}
