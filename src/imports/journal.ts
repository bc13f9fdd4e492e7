import { contentOf } from '../domain/event-editing.ts'
import * as events from '../domain/events.ts'
import type { Scope } from '../domain/scope.ts'
import { patternOf } from '../domain/series-pattern.ts'
import type { SeriesChange } from '../domain/series-undoing.ts'
import { AppError } from '../lib/errors.ts'
import { type Fields, storedEntries } from '../schema/field.ts'
import { LINKED_FIELDS, LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { dialectOf, type Tx } from '../storage/dialect.ts'
import * as storage from '../storage/import-runs.ts'
import type { ImportRow, KnownEvent } from '../storage/imports.ts'
import type { RecordRow } from '../storage/records.ts'
import * as seriesStorage from '../storage/series.ts'
import type { ImportRun } from './import-run.ts'

type Known = Pick<KnownEvent, 'record' | 'hash' | 'status'>
type Named = { readonly uid: string; readonly part: string }

/** Ids up to which records and terms were there before. */
interface LastIds {
  readonly records: number
  readonly terms: number
}

/** Records in the transaction of a batch what an import changes, so that it can be undone. */
export class Journal {
  readonly #tx: Tx
  readonly #scope: Scope
  readonly #run: number
  readonly #source: string
  readonly #last: LastIds
  readonly #before = new Map<string, string>()
  readonly #changes: Omit<storage.ImportChangeRow, 'revision'>[] = []
  readonly #made = new Map<string, { kind: LinkedKind | TermKind; record: number }>()

  private constructor(tx: Tx, scope: Scope, run: number, source: string, last: LastIds) {
    this.#tx = tx
    this.#scope = scope
    this.#run = run
    this.#source = source
    this.#last = last
  }

  static async begin(tx: Tx, scope: Scope, run: number, source: string): Promise<Journal> {
    const { lastId } = dialectOf(tx)
    const last = { records: await lastId(tx, 'records'), terms: await lastId(tx, 'terms') }
    return new Journal(tx, scope, run, source, last)
  }

  /** Called before a known event is changed; with `isAll`, with all of its series. */
  async before({ uid, part }: Named, known: Known | undefined, isAll = false): Promise<void> {
    if (known === undefined) return
    try {
      const event = await events.peekWithin(this.#tx, this.#scope, { id: known.record })
      const { status, slug, date_utc, parent } = event.row
      const recurrence = isAll && event.series !== null ? { recurrence: patternOf(event.series) } : {}
      const content = { image: 0, ...contentOf(event), status, slug, date_utc, parent: parent ?? 0, ...recurrence }
      this.#before.set(`${uid}\n${part}`, JSON.stringify(content))
    } catch (error) {
      // A damaged event cannot be brought back. The undo leaves it.
      if (!(error instanceof AppError)) throw error
    }
  }

  /** Called when an event was created or changed. */
  changed(
    { uid, part, cancelled }: Named & { readonly cancelled: boolean },
    record: number,
    known: Pick<Known, 'hash'> | undefined,
  ): void {
    const key = `${uid}\n${part}`
    const action = known === undefined ? 'created' : cancelled ? 'removed' : 'updated'
    const before = this.#before.get(key) ?? null
    const hash = known?.hash ?? null
    this.#changes.push({ run: this.#run, kind: 'event', record, action, before, source: this.#source, uid, part, hash })
  }

  /** Notes the linked records and terms that were made for an event: their ids are new. */
  linked(found: ReadonlyMap<string, number>): void {
    for (const [key, record] of found) {
      const kind = /^(\w+)( there)?\n/.exec(key)?.[1] ?? ''
      const isTerm = kind === 'category' || kind === 'tag'
      if (!isTerm && !(LINKED_KINDS as readonly string[]).includes(kind)) continue
      if (record > (isTerm ? this.#last.terms : this.#last.records))
        this.#made.set(`${kind} ${record}`, { kind: kind as LinkedKind | TermKind, record })
    }
  }

  /** Stores the changes, with the revisions that the records have now. */
  async finish(found: ReadonlyMap<string, number>): Promise<void> {
    this.linked(found)
    const nothing = { before: null, source: this.#source, uid: '', part: '', hash: null }
    const made = [...this.#made.values()].map(
      (one) => ({ run: this.#run, action: 'created', ...one, ...nothing }) as const,
    )
    const changes = [...new Map([...this.#changes, ...made].map((one) => [`${one.kind} ${one.record}`, one])).values()]
    const revisions = new Map<string, number>()
    for (const kind of ['event', ...LINKED_KINDS] as const) {
      const ids = changes.filter((change) => change.kind === kind).map(({ record }) => record)
      for (const [id, revision] of await storage.revisions(this.#tx, kind, ids))
        revisions.set(`${kind} ${id}`, revision)
    }
    await storage.addChanges(
      this.#tx,
      changes.map((change) => ({ ...change, revision: revisions.get(`${change.kind} ${change.record}`) ?? 0 })),
    )
  }
}

/** Notes the revision of an event that a run has changed once more. */
export async function touch(tx: Tx, run: number, event: number): Promise<void> {
  const revision = (await storage.revisions(tx, 'event', [event])).get(event)
  if (revision !== undefined) await storage.setRevision(tx, run, 'event', event, revision)
}

/** Counts and records what a run has made of a series. */
export async function noteSeries(
  tx: Tx,
  { journal, report }: Pick<ImportRun, 'journal' | 'report'>,
  change: SeriesChange | null,
): Promise<void> {
  if (change === null) return
  report.removed += change.trashed.length
  if (journal === null) return
  const { series: record, row, places } = change
  const [shown] = await seriesStorage.getAll(tx, [record])
  const revision = shown?.sequence ?? 0
  const nothing = { source: '', uid: '', part: '', hash: null }
  const action = row === null ? 'created' : 'updated'
  await storage.addChanges(tx, [
    { run: journal, kind: 'series', record, action, before: JSON.stringify(change), revision, ...nothing },
  ])
  for (const id of [...places.map((place) => place.id), shown?.first ?? 0]) await touch(tx, journal, id)
}

/** Records the change of a venue or organizer that has a row of its own in a table. */
export async function recordLinked(
  tx: Tx,
  run: number,
  {
    source,
    kind,
    uid,
    part,
    record,
    before,
    known,
  }: Pick<ImportRow, 'source' | 'uid' | 'part' | 'record'> & {
    readonly kind: LinkedKind
    readonly before: RecordRow | null
    readonly known: string | null
  },
): Promise<void> {
  const fields: Fields = LINKED_FIELDS[kind]
  const content =
    before &&
    Object.fromEntries([
      ...storedEntries<Fields, string>(fields, []).map(([name]) => [name, before[name]]),
      ['image', before.image ?? 0],
    ])
  const revision = (await storage.revisions(tx, kind, [record])).get(record) ?? 0
  const action = before === null ? 'created' : 'updated'
  const stored = content === null ? null : JSON.stringify(content)
  await storage.addChanges(tx, [
    { run, kind, record, action, before: stored, revision, source, uid, part, hash: known },
  ])
}
