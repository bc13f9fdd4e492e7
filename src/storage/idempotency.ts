import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { firstOf, MOST_ROWS } from './stored-bytes.ts'
import type { IdempotencyTable } from './user-tables.ts'

/**
 * Keys of requests. Times are by the clock of the database, so that nodes whose clocks differ agree.
 */
export type KeyRow = Selectable<IdempotencyTable>

/** Whose key it is, and its hash. */
export type KeyOf = Pick<KeyRow, 'user' | 'key'>

function after(tx: Tx, seconds: number): RawBuilder<number> {
  return sql<number>`cast(floor(${dialectOf(tx).now}) + ${sql.lit(seconds)} as bigint)`
}

/**
 * Claims a key for a request. Returns null if it was claimed now: it is new, older than `kept` seconds, or its claim has
 * run out without an answer. Otherwise returns what is known of it.
 */
export async function claim(
  tx: Tx,
  { user, key, request, claim }: KeyOf & Pick<KeyRow, 'request' | 'claim'>,
  lease: number,
  kept: number,
): Promise<KeyRow | null> {
  const fresh = { request, claim, claimed_until: after(tx, lease), created_utc: after(tx, 0) }
  const cleared = { ...fresh, status: null, headers: null, body: null }
  const made = await tx
    .insertInto('idempotency_keys')
    .values({ user, key, ...cleared })
    .onConflict((conflict) =>
      conflict
        .columns(['user', 'key'])
        .doUpdateSet(cleared)
        .where((eb) =>
          eb.or([
            eb('idempotency_keys.created_utc', '<', after(tx, -kept)),
            eb.and([
              eb('idempotency_keys.status', 'is', null),
              eb('idempotency_keys.request', '=', request),
              eb('idempotency_keys.claimed_until', '<', after(tx, 0)),
            ]),
          ]),
        ),
    )
    .returning('claim')
    .executeTakeFirst()
  if (made !== undefined) return null
  return tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('user', '=', user)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
}

/** Stores the answer, if the claim still holds. Returns whether it does. */
export async function complete(
  tx: Tx,
  { user, key, claim }: KeyOf & Pick<KeyRow, 'claim'>,
  answer: Pick<KeyRow, 'status' | 'headers' | 'body'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set(answer)
    .where('user', '=', user)
    .where('key', '=', key)
    .where('claim', '=', claim)
    .where('status', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** Makes a claim hold for longer. */
export async function renew(db: Database, { user, key, claim }: KeyOf & Pick<KeyRow, 'claim'>, lease: number) {
  await db.writeWithoutInvalidating(async (tx) => {
    await tx
      .updateTable('idempotency_keys')
      .set({ claimed_until: after(tx, lease) })
      .where('user', '=', user)
      .where('key', '=', key)
      .where('claim', '=', claim)
      .where('status', 'is', null)
      .execute()
  })
}

/** Gives a key back that has no answer. */
export async function release(tx: Tx, { user, key, claim }: KeyOf & Pick<KeyRow, 'claim'>): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('user', '=', user)
    .where('key', '=', key)
    .where('claim', '=', claim)
    .where('status', 'is', null)
    .execute()
}

/** When the last key of a user was claimed. */
export async function newestOf(tx: Tx, user: number): Promise<number | null> {
  const row = await tx
    .selectFrom('idempotency_keys')
    .select((eb) => eb.fn.max('created_utc').as('created_utc'))
    .where('user', '=', user)
    .executeTakeFirst()
  return row?.created_utc ?? null
}

/** Forgets the content of some answers to keys of a user that were claimed up to a time. The keys stay: nothing is done twice. */
export async function forgetOf(tx: Tx, user: number, upto: number): Promise<number> {
  const rows = await tx
    .selectFrom('idempotency_keys')
    .select(['key', sql<number>`octet_length(body)`.as('size')])
    .where('user', '=', user)
    .where('created_utc', '<=', upto)
    .where('body', 'is not', null)
    .limit(MOST_ROWS)
    .execute()
  const old = firstOf(rows)
  if (old.length === 0) return 0
  const keys = old.map(({ key }) => key)
  await tx
    .updateTable('idempotency_keys')
    .set({ body: null })
    .where('user', '=', user)
    .where('key', 'in', keys)
    .execute()
  return old.length
}

/** Removes some keys that are older than `kept` seconds, and some of users who have more than `most`. Returns how many. */
export async function sweep(tx: Tx, kept: number, most: number, batch: number): Promise<number> {
  const expired = tx
    .selectFrom('idempotency_keys')
    .select(['user', 'key'])
    .where('created_utc', '<', after(tx, -kept))
    .limit(batch)
  const crowded = await tx
    .selectFrom('idempotency_keys')
    .select('user')
    .groupBy('user')
    .having((eb) => eb.fn.countAll(), '>', most)
    .execute()
  let removed = await removeAll(tx, await expired.execute())
  for (const { user } of crowded) {
    const surplus = tx
      .selectFrom('idempotency_keys')
      .select(['user', 'key'])
      .where('user', '=', user)
      .orderBy('created_utc', 'desc')
      .offset(most)
      .limit(batch)
    removed += await removeAll(tx, await surplus.execute())
  }
  return removed
}

async function removeAll(tx: Tx, keys: readonly KeyOf[]): Promise<number> {
  for (const { user, key } of keys)
    await tx.deleteFrom('idempotency_keys').where('user', '=', user).where('key', '=', key).execute()
  return keys.length
}
