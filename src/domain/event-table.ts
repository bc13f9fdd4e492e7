import { refuse } from '../lib/errors.ts'
import { eventListParameters } from '../schema/event.ts'
import { declare, readFields } from '../schema/field.ts'
import { pageParameters } from '../schema/record.ts'
import * as types from '../schema/value-types.ts'
import { LACKS, TABLE_ORDERS, table } from '../storage/event-table.ts'
import { need, rightsOf } from './access.ts'
import { assembleUndamaged, type Event } from './event-assembly.ts'
import { filterOf, readListParameters } from './event-filter.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'

export { LACKS, TABLE_ORDERS } from '../storage/event-table.ts'

const { search, status, categories, tags, venue, organizer, series } = eventListParameters

/** Parameters of the table of events. Unlike a list, it has events of all dates, also those hidden from lists. */
export const tableParameters = {
  ...pageParameters,
  search,
  status,
  categories,
  tags,
  venue,
  organizer,
  series,
  ...declare('event_table', {
    start_date: { kind: types.date },
    end_date: { kind: types.date },
    author: { kind: types.id },
    mine: { kind: types.flag, default: false },
    lacks: { kind: types.oneOf(...LACKS) },
    orderby: { kind: types.oneOf(...(Object.keys(TABLE_ORDERS) as (keyof typeof TABLE_ORDERS)[])) },
    order: { kind: types.oneOf('asc', 'desc') },
  }),
}

export interface EventTable {
  readonly events: readonly Event[]
  readonly total: number
  readonly page: number
  readonly perPage: number
}

/** One page of the events that a user may see, for the staff. */
export async function listTable(scope: Scope, query: Payload): Promise<EventTable> {
  need(rightsOf(scope.user).create)
  const asked = query()
  const { values, problems } = readFields(tableParameters, asked, { mode: 'query', reading: readingOf(scope) })
  const { start_date: start, end_date: end, page = 1, per_page: perPage = 20 } = values
  const { values: listed, problems: others } = readListParameters(scope, () => ({
    ...Object.fromEntries(
      Object.entries(asked).filter(([name]) => name in tableParameters && name in eventListParameters),
    ),
    start_date: start ? asked.start_date : '0001-01-01',
    end_date: end ? asked.end_date : '9999-12-31',
  }))
  return scope.db.readMany(async (tx) => {
    Object.assign(problems, others)
    const filter = await filterOf(tx, scope, listed, problems)
    refuse(problems)
    const orderBy = values.orderby ?? 'start_date'
    const author = values.mine ? (scope.user?.id ?? null) : (values.author ?? null)
    const { rows, total } = await table(
      tx,
      { ...filter, unlisted: true },
      { author, lacks: values.lacks ?? null, orderBy, descending: values.order === 'desc' },
      perPage,
      (page - 1) * perPage,
    )
    return { events: await assembleUndamaged(tx, scope, rows), total, page, perPage }
  })
}
