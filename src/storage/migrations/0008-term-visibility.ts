import type { Step } from './steps.ts'

/**
 * Hides terms that only unpublished events use from visitors. It is not known how existing terms were created. So those
 * are hidden that have no description, no place in a tree and no published event: all such tags, and those categories
 * that unpublished events use, as contributors cannot create categories. Editors see them, and publish them by changing
 * them.
 */
export const steps: readonly Step[] = [
  `alter table terms add column if not exists published bigint not null default 1`,
  `update terms set published = 0
    where count = 0 and parent = 0 and coalesce(description, '') = ''
      and not exists (select 1 from terms as child where child.parent = terms.id)
      and (kind = 'tag' or exists (select 1 from event_terms where event_terms.term = terms.id))
      and not exists (
        select 1 from event_terms join events on events.id = event_terms.event
        where event_terms.term = terms.id and events.trashed_from = 'publish' and events.password_hash is null
      )`,
]
