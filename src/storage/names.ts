import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { RecordKind } from '../schema/linked.ts'
import { STATUSES } from '../schema/record.ts'
import { LOGGED } from './audit/logged.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { Tables } from './tables.ts'
import { isEventFullyVisible, isTermVisible, isVisible, type Visibility } from './visibility.ts'

export type NamedKind = RecordKind | 'term' | 'image' | 'user'

/** Names of what a reader may see, by id: also in the trash, if they may edit it. */
export async function getNames(
  tx: Tx,
  kind: NamedKind,
  ids: readonly number[],
  visibility: Visibility,
): Promise<Map<number, string>> {
  const { table, title } = LOGGED[kind]
  const rows = await tx
    .selectFrom(table as 'venues')
    .select(['id', `${title as 'venue'} as name`])
    .where((eb) => dialectOf(tx).isInJson(eb.ref('id'), eb.val(JSON.stringify(ids))))
    .where((eb) => mayBeNamed(tx, eb, kind, visibility))
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name ?? '']))
}

/** Whoever writes records may choose every image. Users are known to those who see all records. */
function mayBeNamed(
  tx: Tx,
  eb: ExpressionBuilder<Tables, 'venues'>,
  kind: NamedKind,
  visibility: Visibility,
): Expression<SqlBool> {
  if (visibility.all || kind === 'image') return eb.lit(true)
  if (kind === 'user') return eb('id', '=', visibility.own ?? 0)
  if (kind !== 'term') return isVisible(eb, visibility, STATUSES, dialectOf(tx).unindexed(eb.ref('status')))
  // A reader of an event sees all its terms, also hidden ones.
  const ofEvent = eb
    .selectFrom('event_terms')
    .innerJoin('events', 'events.id', 'event_terms.event')
    .select('events.id')
    .whereRef('event_terms.term', '=', 'terms.id' as 'events.id')
    .where((e) => isEventFullyVisible(tx, e, visibility))
  return eb.or([isTermVisible(eb as unknown as ExpressionBuilder<Tables, 'terms'>, visibility), eb.exists(ofEvent)])
}
