import { run } from './cli/program.ts'

// The process knows no time zone of its own: the site's is configuration.
process.env.TZ = 'UTC'

await run(process.argv.slice(2))
