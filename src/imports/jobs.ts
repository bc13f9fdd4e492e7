import type { JobKind } from '../domain/jobs.ts'
import * as storage from '../storage/import-runs.ts'
import { importingFeeds } from './runs/feeds.ts'
import type { Store } from './runs/runs.ts'

/** How long files wait between check and run, and ended runs can be undone, in seconds. */
const CHECKED = 86_400
const ENDED = 30 * 86_400
/** Runs per step of the sweep. */
const BATCH = 100

/** Background jobs of imports. The readers of files are loaded on first use, for a faster start. */
export function importJobs(store: Store): JobKind[] {
  return [
    {
      name: 'run-import',
      async run(payload) {
        const { run } = payload as { run: number }
        await (await import('./runs/runs.ts')).perform(store, run)
        await (await import('./runs/undo.ts')).performUndo(store, run)
      },
    },
    importingFeeds(store),
    { name: 'forget-imports', every: 3600, run: () => forgetOld(store) },
  ]
}

async function forgetOld(store: Store): Promise<void> {
  const { forget } = await import('./runs/runs.ts')
  const now = store.clock()
  for (;;) {
    const old = await store.db.read((tx) => storage.listOld(tx, now - CHECKED, now - ENDED, BATCH))
    for (const run of old) await forget(store, run)
    if (old.length < BATCH) return
  }
}
