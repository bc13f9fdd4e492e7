import { run } from './cli/program.ts'

// The process knows no time zone of its own: the site's is configuration. That of the machine is only proposed for it, by
// every worker: see calendar/machine-zone.ts.
process.env.MACHINE_TZ ??= process.env.TZ ?? ''
process.env.TZ = 'UTC'

await run(process.argv.slice(2))
