import { readIcalTime } from '../../calendar/ical-values.ts'
import { later } from '../../calendar/pattern.ts'
import type { WallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { joinSeries } from '../../domain/series-joining.ts'
import { resolvePattern } from '../../domain/series-pattern.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import { Refused } from '../../schema/field.ts'
import { recurrence } from '../../schema/recurrence.ts'
import * as events from '../../storage/events.ts'
import * as storage from '../../storage/imports.ts'
import * as imports from '../import-run.ts'
import { noteSeries } from '../journal.ts'

/** Limit on rows of series that are kept until the end of the table. */
const MAX_ROWS = 100_000

/** A row of a table of ours that says which event of which series it is. */
interface SeriesRow {
  readonly uid: string
  readonly original: WallClock
  /** Lines of the rule; empty in all rows but one. */
  readonly lines: string
  /** Where the rule starts; by default at this row. */
  readonly begin: WallClock | undefined
  /** When the first event of the rule ends; by default after as long as this row takes. */
  readonly end: WallClock | undefined
}

/** Rows of series in a table of ours. The events are brought one by one, and joined at the end. */
export class SeriesRows {
  readonly #rows = new Map<string, SeriesRow[]>()
  #count = 0

  /** Takes the recurrence of a row out of its fields, if the table has a row for each event of the series. */
  take(item: imports.Item): imports.Item {
    const { recurrence: cell, ...fields } = item.fields
    const text = typeof cell === 'string' ? cell : ''
    const [, series] = /^X-KALENDS-SERIES:(\d{1,15})\s*$/m.exec(text) ?? []
    const [, start = ''] = /^RECURRENCE-ID:(\S+)\s*$/m.exec(text) ?? []
    const original = readIcalTime(start)?.wall
    if (series === undefined || original === undefined) return item
    const lines = text.split(/\r?\n/).filter((line) => /^(RRULE|RDATE|EXDATE)/.test(line))
    const rows = this.#rows.get(series) ?? []
    this.#rows.set(series, rows)
    const timeOf = (name: string) => readIcalTime(new RegExp(`^${name}:(\\S+)\\s*$`, 'm').exec(text)?.[1] ?? '')?.wall
    const times = { begin: timeOf('DTSTART'), end: timeOf('DTEND') }
    if (this.#count++ < MAX_ROWS) rows.push({ uid: item.uid, original, lines: lines.join('\n'), ...times })
    return { ...item, fields }
  }

  async join(scope: Scope, run: imports.ImportRun): Promise<void> {
    const turn = new TimeSlice()
    for (const rows of run.dryRun ? [] : this.#rows.values()) {
      if (turn.isOver) await turn.yield()
      const told = rows.find((row) => row.lines !== '')
      if (told !== undefined) await joinRows(scope, run, rows, told)
    }
  }
}

async function joinRows(
  scope: Scope,
  run: imports.ImportRun,
  rows: readonly SeriesRow[],
  { uid: told, lines, begin, end }: SeriesRow,
): Promise<void> {
  await scope.db.writeMany(async (tx) => {
    const known = await storage.listEvents(
      tx,
      run.source,
      rows.map(({ uid }) => uid),
      [''],
    )
    const originals = new Map(rows.map(({ uid, original }) => [uid, original]))
    const alive = known.filter(({ status }) => status !== null)
    const members = new Map(alive.map(({ uid, record }) => [record, originals.get(uid) ?? '']))
    const first = alive.find(({ uid }) => uid === told)
    const [row] = first === undefined ? [] : await events.getAll(tx, [first.record], 'no reader: write')
    if (row === undefined) return
    try {
      // The start by the rule: the event itself may have been moved.
      const start_local = begin ?? members.get(row.id) ?? row.start_local
      const seconds = row.end_utc - row.start_utc
      const times = {
        timezone: row.timezone,
        start_local,
        end_local: end !== undefined && end >= start_local ? end : later(start_local, seconds),
        allDay: row.all_day === 1,
      }
      const pattern = resolvePattern(recurrence.read(lines, { today: start_local }), times, null)
      if (pattern === null) return
      const plain = new Set(members.keys())
      await noteSeries(tx, run, await joinSeries(tx, scope, { pattern, times, members, plain, slug: null }))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      imports.note(run, { line: 0, uid: rows[0]?.uid ?? '', problem: error.problem }, false)
    }
  })
}
