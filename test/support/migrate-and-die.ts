import { migrateRaw } from './earlier-versions.ts'

/** Migrates a database and kills its own process before a statement of a migration: `where migration statement`. */

const [where = '', migration, statement] = process.argv.slice(2)
let count = 0
await migrateRaw(where, (news) => {
  if (news.kind !== 'step' || news.name !== migration) return
  if (count++ === Number(statement)) process.kill(process.pid, 'SIGKILL')
})
