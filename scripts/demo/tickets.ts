import { type DemoEvent, dayFrom } from './demo-event.ts'
import type { Random } from './random.ts'

/** Tickets for some of the events that cost something, at the prices in their cost. */
export function ticketsOf({ cost, ticketed, start }: DemoEvent, random: Random): { tickets?: object[] } {
  const prices = [...cost.matchAll(/€(\d+)/g)].map(([, price]) => Number(price))
  if (prices.length === 0 || !random.is(ticketed)) return {}
  const full = Math.max(...prices)
  const reduced = prices.length > 1 ? Math.min(...prices) : Math.ceil(full * 0.7)
  const day = start.slice(0, 10)
  const ticket = (name: string, price: number, more: object) => ({
    name,
    price: price.toFixed(2),
    currency: 'EUR',
    url: `https://tickets.example.org/${day}/`,
    ...more,
  })
  const tickets = [
    ticket('Standard', full, { capacity: random.pick([40, 60, 90, 120, 250, 400]), available_until: start }),
    ticket('Concession', reduced, { available_until: start }),
  ]
  const early = { capacity: 30, available_until: dayFrom(day, -21) }
  if (random.is(0.3)) tickets.push(ticket('Early bird', Math.max(1, Math.floor(full * 0.8)), early))
  return { tickets }
}
