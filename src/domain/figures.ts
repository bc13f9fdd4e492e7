import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Family } from '../lib/metrics.ts'
import type { Database } from '../storage/database.ts'
import { countDeliveries, countImports, countJobs } from '../storage/figures.ts'

/** Figures of what all processes share. Read by one of them, when somebody asks. */
export const SHARED_METRICS = {
  kalends_jobs: 'Background jobs, by kind and state: waiting, running or failed.',
  kalends_job_delay_seconds: 'For how long the job has been due that waits longest.',
  kalends_imports: 'Imports that were begun on a screen or by schedule, by state.',
  kalends_webhook_pending: 'Requests that active webhooks have to send.',
  kalends_webhook_lag_seconds: 'How long ago the oldest change was that an active webhook has not delivered.',
  kalends_database_up: 'Whether the database answers.',
  kalends_backup_last_timestamp_seconds: 'When the last backup by schedule was made, in seconds since 1970.',
} as const

type Name = keyof typeof SHARED_METRICS

export async function sharedFigures(db: Database, backupFolder: string): Promise<Family[]> {
  const found = await readTables(db).catch(() => null)
  const latest = backupFolder === '' ? null : await latestBackup(backupFolder).catch(() => null)
  return [
    family('kalends_database_up', [['', found === null ? 0 : 1]]),
    family(
      'kalends_jobs',
      (found?.jobs ?? []).map(({ kind, state, count }) => [`kind="${kind}",state="${state}"`, count]),
    ),
    family('kalends_job_delay_seconds', found === null ? [] : [['', found.delay]]),
    family(
      'kalends_imports',
      (found?.imports ?? []).map(({ state, count }) => [`state="${state}"`, count]),
    ),
    family('kalends_webhook_pending', found === null ? [] : [['', found.pending]]),
    family('kalends_webhook_lag_seconds', found === null ? [] : [['', found.lag]]),
    family('kalends_backup_last_timestamp_seconds', latest === null ? [] : [['', latest]]),
  ]
}

function readTables(db: Database) {
  return db.read(async (tx) => ({
    ...(await countJobs(tx)),
    imports: await countImports(tx),
    ...(await countDeliveries(tx)),
  }))
}

function family(name: Name, samples: readonly (readonly [labels: string, value: number])[]): Family {
  const all = samples.map(([labels, value]) => ({ name, labels, value }))
  return { name, help: SHARED_METRICS[name], type: 'gauge', samples: all }
}

async function latestBackup(folder: string): Promise<number | null> {
  const names = (await readdir(folder)).filter((name) => /^kalends-.*Z(-\d+)?\.tar$/.test(name)).sort()
  const last = names.at(-1)
  return last === undefined ? null : (await stat(join(folder, last))).mtimeMs / 1000
}
