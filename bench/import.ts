import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createScope } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import * as users from '../src/domain/users.ts'
import { importCalendar } from '../src/imports/calendar/import-calendar.ts'
import { systemClock } from '../src/lib/clock.ts'
import { openDatabase } from '../src/storage/database.ts'

/** Imports a calendar of many events twice, and prints how long it took and how much memory: `node bench/import.ts 100000`. */
const COUNT = Number(process.argv[2] ?? 100_000)

function* calendar(): Generator<Buffer> {
  yield Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n')
  for (let n = 0; n < COUNT; n++) {
    const day = `2031${String(1 + (n % 12)).padStart(2, '0')}${String(1 + (n % 28)).padStart(2, '0')}`
    const lines = [
      'BEGIN:VEVENT',
      `UID:${n}@bench.example.org`,
      `SUMMARY:Event number ${n}`,
      `DTSTART;TZID=Europe/Berlin:${day}T190000`,
      `DTEND;TZID=Europe/Berlin:${day}T210000`,
      `DESCRIPTION:What happens at event ${n}\\, in a few words: music & dance.\\n\\nBring friends.`,
      `LOCATION:Hall ${n % 500}`,
      `ORGANIZER;CN=Guild ${n % 50}:mailto:guild${n % 50}@example.org`,
      `CATEGORIES:Music,Kind ${n % 20}`,
      `URL:https://example.org/events/${n}`,
      'END:VEVENT',
    ]
    yield Buffer.from(`${lines.join('\r\n')}\r\n`)
  }
  yield Buffer.from('END:VCALENDAR\r\n')
}

const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-'))
const db = openDatabase(process.env.KALENDS_DATABASE_URL ?? folder)
try {
  await db.migrate()
  await users.create(
    { db, clock: systemClock },
    { name: 'bench', email: 'b@example.org', role: 'editor', password: 'password of bench' },
  )
  const [user] = await users.list({ db, clock: systemClock })
  const scope = {
    ...createScope(readConfig({ data: folder }, {}), db),
    user: { id: user?.id ?? 0, name: 'bench', role: 'editor' as const },
  }
  for (const round of ['first', 'again']) {
    let peak = 0
    const start = performance.now()
    const used = process.cpuUsage()
    const report = await importCalendar(scope, calendar(), {
      dryRun: false,
      onProgress: () => {
        peak = Math.max(peak, process.memoryUsage().rss)
      },
    })
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(used)
    console.error(
      `${round}: ${report?.created} created, ${report?.unchanged} unchanged in ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of processor), ` +
        `${Math.round(COUNT / seconds)} a second, ${Math.round(peak / 1e6)} MB at most`,
    )
  }
} finally {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
}
