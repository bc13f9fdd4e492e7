import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import { type Sight, UNPUBLISHED, visible } from './records.ts'
import type { Tables } from './tables.ts'

/** That a reader may open an event and see all of it: what a protected event is linked to shows nowhere. */
export function eventShownTo(eb: ExpressionBuilder<Tables, 'events'>, sight: Sight): Expression<SqlBool> {
  const readable = visible(eb, sight, null)
  if (sight.all) return readable
  const open = eb('events.password', 'is', null)
  if (sight.own === null) return eb.and([readable, open])
  const editable = sight.ownPublished ? eb.lit(true) : eb('events.status', 'in', UNPUBLISHED)
  return eb.and([readable, eb.or([open, eb.and([eb('events.author', '=', sight.own), editable])])])
}
