import type { Step } from './steps.ts'

/**
 * Terms that only unpublished events use are hidden from visitors. How the terms that exist were made is not known, so
 * those stay hidden that nobody described, put into a tree, or published: of the tags all without a published event, of
 * the categories, which contributors cannot make, those that only unpublished events have. Editors see them, and make
 * them public by changing them.
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
