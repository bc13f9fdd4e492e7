import { instantIn, isInYearsIn } from '../calendar/date-text.ts'
import { isInYearsOf } from '../calendar/years.ts'
import { type Instant, toWallClock } from '../calendar/zone.ts'
import { AppError, type ErrorCode, type Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { words, wordsOfSafe } from '../lib/html.ts'
import { slugify, TRASHED_SUFFIX, withSuffix } from '../lib/slug.ts'
import type { Fields, ReadContext, Values } from '../schema/field.ts'
import type { RecordKind } from '../schema/linked.ts'
import type { recordFields, Status } from '../schema/record.ts'
import { richHtml } from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import type { RecordRow, Ref } from '../storage/records.ts'
import * as storage from '../storage/records.ts'
import * as users from '../storage/users.ts'
import { mayEdit, mayRead, need, type Owned, rightsOf } from './access.ts'
import type { Scope } from './scope.ts'

/** What events, venues and organizers have in common: being found, being allowed, status, date, author, slug. */

export type { Ref } from '../storage/records.ts'
export type RecordValues = Values<typeof recordFields>

/** What relative dates count from: now, in the site's zone; the clock is asked only if there are any. */
export function readingOf({ clock, site }: Pick<Scope, 'clock' | 'site'>): ReadContext {
  return {
    get today() {
      return toWallClock(clock(), site.timezone)
    },
  }
}

/** The record, or the answer that there is none. */
export async function find(tx: Tx, kind: RecordKind, ref: Ref, read = storage.get): Promise<RecordRow> {
  const exists = 'slug' in ref || Number.isSafeInteger(ref.id)
  const row = exists ? await read(tx, kind, ref) : undefined
  if (row === undefined) throw new AppError(kind === 'event' ? 'rest-event-not-found' : `${kind}-not-found`)
  return row
}

/** The record, for a reader who may open it. */
export async function findReadable(tx: Tx, scope: Pick<Scope, 'user'>, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  const row = await find(tx, kind, ref)
  if (mayRead(scope.user, row)) return row
  throw new AppError(
    kind === 'event' && row.status === 'trash' ? 'event-no-longer-available' : `${kind}-not-accessible`,
  )
}

/** The record, for a writer who may change it. */
export async function findEditable(tx: Tx, scope: Scope, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  const row = await find(tx, kind, ref, storage.getLocked)
  need(mayEdit(scope.user, row))
  return row
}

/** Refuses a `status` filter that its reader may not use. */
export function checkStatusFilter(
  scope: Pick<Scope, 'user'>,
  status: readonly Status[] | null,
  problems: Problems,
): void {
  if (status !== null && !rightsOf(scope.user).create && status.some((one) => one !== 'publish')) {
    problems.status = { problem: 'status_not_readable' }
  }
}

/** Refuses another's authorship to whoever may not give it, and an author that does not exist. */
export async function checkAuthor(tx: Tx, scope: Scope, { author }: RecordValues, problems: Problems): Promise<void> {
  if (typeof author !== 'number' || author === scope.user?.id) return
  need(rightsOf(scope.user).edit === 'all')
  if ((await users.get(tx, author)) === undefined) problems.author = { problem: 'no_such_user', id: author }
}

/** Refuses a publication date beyond the years that we keep: it is shown in UTC and by the site's clock. */
export function checkPublication({ site }: Pick<Scope, 'site'>, values: RecordValues, problems: Problems): void {
  const { date, date_utc } = values
  if (date && !isInYearsIn(date, site.timezone)) problems.date ??= { problem: 'out_of_years' }
  if (date_utc && !isInYearsOf(instantIn(date_utc, 'UTC'), site.timezone))
    problems.date_utc ??= { problem: 'out_of_years' }
}

/** The columns that status, date, author and slug come to, given what was asked for and what there was. */
export async function settle(
  tx: Tx,
  scope: Scope,
  kind: RecordKind,
  values: RecordValues,
  title: string,
  before: RecordRow | null,
): Promise<Omit<Owned, 'author'> & Pick<RecordRow, 'author' | 'slug' | 'restore_slug' | 'date_utc' | 'modified_utc'>> {
  const now = scope.clock()
  const date_utc = publicationDate(scope, values) ?? before?.date_utc ?? now
  const status = settleStatus(scope, values.status ?? before?.status ?? null, date_utc, now)
  const trashed_from =
    status !== 'trash'
      ? null
      : before === null || before.status === 'trash'
        ? (before?.trashed_from ?? 'draft')
        : before.status
  return {
    author: values.author ?? before?.author ?? scope.user?.id ?? 0,
    status,
    trashed_from,
    ...(await settleSlug(tx, kind, values.slug, title, status, before)),
    date_utc,
    modified_utc: now,
  }
}

/** The publication date that a request names: in UTC if it says so, else in the site's zone. */
export function publicationDate(scope: Scope, values: RecordValues): Instant | null {
  if (values.date_utc) return instantIn(values.date_utc, 'UTC')
  return values.date ? instantIn(values.date, scope.site.timezone) : null
}

/** What a writer publishes without the right waits for somebody who has it; what is published too early waits for its time. */
function settleStatus(scope: Scope, wanted: Status | null, date: Instant, now: Instant): Status {
  const { publish } = rightsOf(scope.user)
  const status = wanted ?? (publish ? 'publish' : 'draft')
  if (!publish && (status === 'publish' || status === 'future' || status === 'private')) return 'pending'
  if (status === 'publish' || status === 'future') return date > now ? 'future' : 'publish'
  return status
}

/** A record in the trash gives its slug up, and gets it back if it is still free. */
async function settleSlug(
  tx: Tx,
  kind: RecordKind,
  given: string | null | undefined,
  title: string,
  status: Status,
  before: RecordRow | null,
): Promise<Pick<RecordRow, 'slug' | 'restore_slug'>> {
  const kept = given === undefined ? (before?.restore_slug ?? before?.slug) : given
  const wanted = kept ?? (slugify(title) || kind)
  if (status !== 'trash') return { slug: await storage.freeSlug(tx, kind, wanted, before?.id), restore_slug: null }
  return {
    slug: await storage.freeSlug(tx, kind, withSuffix(wanted, TRASHED_SUFFIX), before?.id),
    restore_slug: wanted,
  }
}

/** The columns of the stored fields that a request named. */
export function storedColumns(fields: Fields, values: Record<string, unknown>): Partial<RecordRow> {
  const named = Object.entries(fields).filter(([name, field]) => field.stored && values[name] !== undefined)
  return Object.fromEntries(
    named.map(([name]) => {
      const value = values[name]
      return [name, typeof value === 'boolean' ? Number(value) : (value as string | number | null)]
    }),
  )
}

const defaults = new WeakMap<Fields, Partial<RecordRow>>()

/** The columns of stored fields that have a default, at that default; put together once. */
export function defaultColumns(fields: Fields): Partial<RecordRow> {
  let columns = defaults.get(fields)
  if (columns === undefined) {
    const values = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))
    columns = storedColumns(fields, values)
    defaults.set(fields, columns)
  }
  return columns
}

/** What `search` looks into: the words of the searched fields, case-folded. */
export function searchText(fields: Fields, row: Partial<RecordRow>): string {
  const texts = Object.entries(fields).filter(([, field]) => field.searched)
  return texts
    .map(([name, { kind }], place) => {
      const value = row[name]
      if (typeof value !== 'string') return null
      return fold(place === 0 ? value : kind === richHtml ? wordsOfSafe(value) : words(value))
    })
    .filter((text) => text !== null)
    .join('\n')
}

/** Moves a record that its writer may edit to the trash, or out of existence; answers it as it then is, or as it was. */
export async function remove(
  tx: Tx,
  scope: Scope,
  kind: RecordKind,
  row: RecordRow,
  force: boolean,
): Promise<RecordRow> {
  if (force) {
    await storage.remove(tx, kind, row.id)
    return row
  }
  if (row.status === 'trash') throw new AppError(`${kind}-is-in-trash` satisfies ErrorCode)
  await storage.update(tx, kind, row.id, await settle(tx, scope, kind, { status: 'trash' }, '', row))
  return find(tx, kind, { id: row.id })
}
