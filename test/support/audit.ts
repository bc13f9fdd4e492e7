import assert from 'node:assert/strict'
import { LINKED_KINDS, RECORD_KINDS, type RecordKind } from '../../src/schema/linked.ts'
import { readFields } from '../../src/storage/audit/writing.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/dialect.ts'

/** Records that are looked at: enough for all tests but those of size. */
const MOST = 300

type Fields = Record<string, unknown>

/**
 * Compares what the audit log says last of each field of a record with what the record has. A difference means that a
 * write was not logged. Tests that write into tables by themselves are left alone: their records were never logged.
 */
export async function checkLog(db: Database): Promise<void> {
  await db.read(async (tx) => {
    for (const kind of RECORD_KINDS) await checkKind(tx, kind)
  })
}

async function checkKind(tx: Tx, kind: RecordKind): Promise<void> {
  const newest = await tx
    .selectFrom('audit')
    .select('record')
    .distinct()
    .where('kind', '=', kind)
    .orderBy('record', 'desc')
    .limit(MOST)
    .execute()
  const ids = newest.map(({ record }) => record)
  if (ids.length === 0) return
  const rows = await tx
    .selectFrom('audit')
    .leftJoin('audit as first', 'first.id', 'audit.same_as')
    .select(['audit.record', 'audit.action'])
    .select((eb) => eb.fn.coalesce('audit.after', 'first.after').as('after'))
    .where('audit.kind', '=', kind)
    .where('audit.record', 'in', ids)
    .orderBy('audit.id')
    .execute()
  const present = await readFields(tx, kind, ids, 'no reader: job')
  const gone = await missingIds(tx)
  for (const [id, entries] of Map.groupBy(rows, (row) => row.record)) {
    const now = present.get(id)
    const said: Fields = {}
    for (const { after } of entries) Object.assign(said, after === null ? {} : JSON.parse(after))
    if (entries.at(-1)?.action === 'removed') {
      assert.equal(now, undefined, `${kind} ${id} is there, but logged as removed`)
      continue
    }
    assert.ok(now !== undefined, `${kind} ${id} was removed, and nobody logged it`)
    for (const [name, value] of Object.entries(said)) {
      if (name === 'password' || name === 'author' || name === 'parent') continue
      // What was merged or removed since is logged with the other record.
      const lists = [value, now[name]].filter(Array.isArray).flat()
      if (lists.some((one) => typeof one === 'number' && gone(kind, name, one))) continue
      if (!Array.isArray(value) || name === 'tickets')
        assert.deepEqual(now[name], value, `${kind} ${id}: ${name} was changed, and nobody logged it`)
      else
        assert.deepEqual(new Set(now[name] as unknown[]), new Set(value), `${kind} ${id}: ${name} was changed unlogged`)
    }
  }
}

/** Tells whether a linked record or term is gone, or stands for one that is. */
async function missingIds(tx: Tx): Promise<(kind: RecordKind, name: string, id: number) => boolean> {
  const known = new Map<string, Set<number>>()
  for (const kind of LINKED_KINDS)
    known.set(kind, new Set((await tx.selectFrom(`${kind}s`).select('id').execute()).map(({ id }) => id)))
  const terms = new Set((await tx.selectFrom('terms').select('id').execute()).map(({ id }) => id))
  const merged = new Set((await tx.selectFrom('old_addresses').select('target').execute()).map(({ target }) => target))
  return (kind, name, id) => kind === 'event' && (!(known.get(name) ?? terms).has(id) || merged.has(id))
}
