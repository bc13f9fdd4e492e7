import { readCost } from '../lib/cost.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { setFree } from '../storage/word-search.ts'

type Priced = { readonly price: string | null }

/** Whether an event is free: amounts are known from its cost or tickets, and all are 0. */
export function isFree(cost: string | null, tickets: readonly Priced[]): boolean {
  const amounts = [...readCost(cost, '').values, ...tickets.flatMap(({ price }) => price ?? [])]
  return amounts.length > 0 && amounts.every((amount) => Number(amount) === 0)
}

/** Stores whether an event is free. */
export async function storeFree(
  tx: Tx,
  { id, cost }: EventRow,
  sent: readonly Priced[] | null,
  isNew: boolean,
): Promise<void> {
  const tickets = sent ?? (isNew ? [] : ((await ticketStorage.ofEvents(tx, [id])).get(id) ?? []))
  await setFree(tx, id, isFree(cost, tickets), isNew)
}
