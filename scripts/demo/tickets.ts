import { type DemoEvent, dayFrom } from './demo-event.ts'
import type { Chance } from './random.ts'

/** Tickets for some of what costs something, at the prices that its cost names. */
export function ticketsOf({ cost, ticketed, start }: DemoEvent, chance: Chance): { tickets?: object[] } {
  const prices = [...cost.matchAll(/€(\d+)/g)].map(([, price]) => Number(price))
  const full = Math.max(...prices)
  if (prices.length === 0 || !chance.is(ticketed)) return {}
  const day = start.slice(0, 10)
  const ticket = (name: string, price: number, more: object = {}) => ({
    name,
    price: price.toFixed(2),
    currency: 'EUR',
    url: `https://tickets.example.org/${day}/`,
    ...more,
  })
  const capacity = chance.pick([40, 60, 90, 120, 250, 400])
  return {
    tickets: [
      ticket('Standard', full, { capacity, available_until: start }),
      ticket('Concession', prices.length > 1 ? Math.min(...prices) : Math.ceil(full * 0.7), { available_until: start }),
      ...(chance.is(0.3)
        ? [
            ticket('Early bird', Math.max(1, Math.floor(full * 0.8)), {
              capacity: 30,
              available_until: dayFrom(day, -21),
            }),
          ]
        : []),
    ],
  }
}
