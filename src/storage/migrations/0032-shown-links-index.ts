import type { Step } from './steps.ts'

const LINKS = [
  ['event_venues', 'linked'],
  ['event_organizers', 'linked'],
  ['event_terms', 'term'],
] as const

/** Fills the column of 0031, and makes the index that lists are read from. */
export const steps: readonly Step[] = [
  // Nobody changes an event whose links are filled; everybody reads on.
  { sqlite: [], postgres: ['do $$ begin lock table events in share mode; end $$'] },
  ...LINKS.flatMap(([table, by]): Step[] => [
    {
      table,
      key: 'event',
      statement: `update "${table}" set shown_end = (select case when events.status = 'publish'
          and events.hide_from_listings = 0 and events.password_hash is null then events.end_local end
        from events where events.id = "${table}".event)
      where event > {after} and event <= {last}`,
    },
    `create index if not exists "${table}_shown" on "${table}" ("${by}", "start_local", "event", "shown_end")`,
  ]),
]
