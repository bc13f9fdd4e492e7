import type { Step } from './steps.ts'

/**
 * Expiry and last use of tokens. Addresses that users signed in from, so that password guessing from elsewhere does not
 * delay them. Indexes for quotas.
 */
export const steps: readonly Step[] = [
  `alter table tokens add column if not exists expires_utc bigint`,
  `alter table tokens add column if not exists used_utc bigint`,
  `create table if not exists sign_ins ("user" bigint not null references users (id) on delete cascade,
    address {text} not null, last_utc bigint not null, primary key ("user", address))`,
  `create index if not exists events_unpublished on events (author) where status <> 'publish'`,
  `create index if not exists venues_unpublished on venues (author) where status <> 'publish'`,
  `create index if not exists organizers_unpublished on organizers (author) where status <> 'publish'`,
  `create index if not exists images_author on images (author, filesize)`,
]
