import * as events from '../../domain/events.ts'
import type { Scope } from '../../domain/scope.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import * as storage from '../../storage/imports.ts'
import { inSavepoint } from '../../storage/savepoint.ts'
import * as imports from '../import-run.ts'
import { touch } from '../journal.ts'
import * as saving from '../saving.ts'

/** Sets parents that came after their children. */
export async function bringParents(scope: Scope, run: imports.ImportRun): Promise<void> {
  const waiting = run.dryRun ? [] : run.orphans.splice(0)
  for (let at = 0; at < waiting.length; at += saving.BATCH) {
    const batch = waiting.slice(at, at + saving.BATCH)
    await scope.db.writeMany(async (tx) => {
      const uids = [...new Set(batch.flatMap(({ uid, parent }) => [uid, parent.uid]))]
      const rows = await storage.listEvents(tx, run.source, uids, null)
      const known = new Map(rows.map((row) => [`${row.uid}\n${row.part}`, row]))
      const turn = new TimeSlice()
      for (const { uid, part, line, parent } of batch) {
        if (turn.isOver) await turn.yield()
        const child = known.get(`${uid}\n${part}`)
        const whole = known.get(`${parent.uid}\n${parent.part}`)
        if (!child?.status || !whole?.status) continue
        try {
          await inSavepoint(tx, () => events.saveWithin(tx, scope, { parent: whole.record }, child.record))
          if (run.journal !== null) await touch(tx, run.journal, child.record)
        } catch (error) {
          imports.note(run, { line, uid, problem: imports.problemOf(error) }, false)
        }
      }
    })
  }
}
