import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobKind } from '../jobs.ts'
import type { BackupOptions, BackupReport } from './backup.ts'

export interface Schedule {
  /** Seconds from the end of a backup to the next. */
  readonly every: number
  /** Folder. */
  readonly to: string
  /** Number of backups that are kept. */
  readonly keep: number
  readonly log: Record<'info' | 'error', (details: object, message: string) => void>
  readonly backUp: (target: string, options: BackupOptions) => Promise<BackupReport>
}

/** Names that backups in a folder get, in order of time. */
const NAME = /^kalends-\d{4}-\d\d-\d\dT\d{6}Z(-\d+)?\.tar$/

/** Backs up regularly: one process for all. */
export function backingUp({ every, to, keep, log, backUp }: Schedule): JobKind {
  return {
    name: 'back-up',
    every,
    async run(_, signal) {
      try {
        const { path, bytes, files, missing } = await backUp(`${to}/`, { signal })
        log.info({ path, bytes, files, ...(missing.length > 0 && { missing: missing.length }) }, 'backed up')
      } catch (error) {
        if (!signal.aborted) log.error({ err: error }, 'backup failed')
        throw error
      }
      await removeOld(to, keep)
    },
  }
}

/** Removes the oldest backups of a folder. Called when a new one is checked. */
async function removeOld(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  for (const name of names.slice(0, -keep)) await rm(join(folder, name), { force: true })
}
