import { type DateText, instantIn, isInYearsIn } from '../calendar/date-text.ts'
import { isInYearsOf } from '../calendar/years.ts'
import { type Instant, toWallClock, type WallClock } from '../calendar/zone.ts'
import { AppError, type ErrorCode, type Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { words, wordsOfSafe } from '../lib/html.ts'
import { slugify, TRASHED_SUFFIX, withSuffix } from '../lib/slug.ts'
import { entriesOf, type Fields, type ReadContext, type Values } from '../schema/field.ts'
import type { RecordKind } from '../schema/linked.ts'
import type { listParameters, recordFields, Status } from '../schema/record.ts'
import { richHtml } from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import type { ModifiedRange } from '../storage/event-filter.ts'
import { forget } from '../storage/merging.ts'
import type { RecordRow, Ref } from '../storage/records.ts'
import * as storage from '../storage/records.ts'
import * as users from '../storage/users.ts'
import type { WithoutReader } from '../storage/visibility.ts'
import { mayEdit, mayRead, need, type Owned, rightsOf } from './access.ts'
import type { Scope } from './scope.ts'

/** Shared rules of events, venues and organizers: lookup, rights, status, date, author, slug. */

export type { Ref } from '../storage/records.ts'
export type RecordValues = Values<typeof recordFields>

/** Context for relative dates: now, in the site's time zone. The clock is read only if needed. */
export function readingOf(scope: Pick<Scope, 'clock' | 'site'>): ReadContext {
  return new Reading(scope)
}

/** A class: V8 makes an object with a getter of its own slowly. */
class Reading implements ReadContext {
  readonly #scope: Pick<Scope, 'clock' | 'site'>
  readonly maxPerPage: number

  constructor(scope: Pick<Scope, 'clock' | 'site'>) {
    this.#scope = scope
    this.maxPerPage = scope.site.maxPerPage
  }
  get today(): WallClock {
    return toWallClock(this.#scope.clock(), this.#scope.site.timezone)
  }
}

/** Gets a record or throws 404. */
export async function find(
  tx: Tx,
  kind: RecordKind,
  ref: Ref,
  reason: WithoutReader,
  read = storage.get,
): Promise<RecordRow> {
  const exists = 'slug' in ref || Number.isSafeInteger(ref.id)
  return (exists ? await read(tx, kind, ref, reason) : undefined) ?? missing(kind)
}

function missing(kind: RecordKind): never {
  throw new AppError(kind === 'event' ? 'rest-event-not-found' : `${kind}-not-found`)
}

/** Gets a record that the reader may see; none if it does not exist or they may not. */
export async function findIfReadable(
  tx: Tx,
  { user }: Pick<Scope, 'user'>,
  kind: RecordKind,
  ref: Ref,
): Promise<RecordRow | undefined> {
  const row = await storage.get(tx, kind, ref, 'no reader: rights')
  return row !== undefined && mayRead(user, row) ? row : undefined
}

/** Gets a record that the reader may see. */
export async function findReadable(tx: Tx, scope: Pick<Scope, 'user'>, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  const row = await find(tx, kind, ref, 'no reader: rights')
  if (mayRead(scope.user, row)) return row
  throw new AppError(
    kind === 'event' && row.status === 'trash' ? 'event-no-longer-available' : `${kind}-not-accessible`,
  )
}

/** The same for a page or feed, which does not tell that there is anything that its reader may not see. */
export async function findShown(tx: Tx, scope: Pick<Scope, 'user'>, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  return (await findIfReadable(tx, scope, kind, ref)) ?? missing(kind)
}

/** Gets and locks a record that the user may edit. */
export async function findEditable(tx: Tx, scope: Scope, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  const row = await find(tx, kind, ref, 'no reader: rights', storage.getLocked)
  need(mayEdit(scope.user, row))
  return row
}

/** Refuses a `status` filter that the reader may not use. */
export function checkStatusFilter(
  scope: Pick<Scope, 'user'>,
  status: readonly Status[] | null,
  problems: Problems,
): void {
  if (status !== null && !rightsOf(scope.user).create && status.some((one) => one !== 'publish')) {
    problems.status = { problem: 'status_not_readable' }
  }
}

/** Range of the time of the last change that a list asks for. */
export function modifiedRange(
  { site }: Pick<Scope, 'site'>,
  asked: Values<Pick<typeof listParameters, 'modified_after' | 'modified_before'>>,
): ModifiedRange {
  const at = (date: DateText | null | undefined) => (date ? instantIn(date, site.timezone) : null)
  return { after: at(asked.modified_after), before: at(asked.modified_before) }
}

/** Checks that the user may set another author, and that the author exists. */
export async function checkAuthor(tx: Tx, scope: Scope, { author }: RecordValues, problems: Problems): Promise<void> {
  if (typeof author !== 'number' || author === scope.user?.id) return
  need(rightsOf(scope.user).edit === 'all')
  if ((await users.get(tx, author)) === undefined) problems.author = { problem: 'no_such_user', id: author }
}

/** Refuses a publication date outside the supported years, in UTC and in the site's time zone. */
export function checkPublication({ site }: Pick<Scope, 'site'>, values: RecordValues, problems: Problems): void {
  const { date, date_utc } = values
  if (date && !isInYearsIn(date, site.timezone)) problems.date ??= { problem: 'out_of_years' }
  if (date_utc && !isInYearsOf(instantIn(date_utc, 'UTC'), site.timezone))
    problems.date_utc ??= { problem: 'out_of_years' }
}

/** Resolves the columns for status, date, author and slug from the request and the stored row. */
export async function resolveColumns(
  tx: Tx,
  scope: Scope,
  kind: RecordKind,
  values: RecordValues,
  title: string,
  before: RecordRow | null,
): Promise<Omit<Owned, 'author'> & Pick<RecordRow, 'author' | 'slug' | 'restore_slug' | 'date_utc' | 'modified_utc'>> {
  const now = scope.clock()
  const date_utc = publicationDate(scope, values) ?? before?.date_utc ?? now
  const status = resolveStatus(scope, values.status ?? before?.status ?? null, date_utc, now)
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
    ...(await resolveSlug(tx, kind, values.slug, title, status, before)),
    date_utc,
    modified_utc: now,
  }
}

/** Publication date of a request, in UTC or in the site's time zone. */
export function publicationDate(scope: Scope, values: RecordValues): Instant | null {
  if (values.date_utc) return instantIn(values.date_utc, 'UTC')
  return values.date ? instantIn(values.date, scope.site.timezone) : null
}

/** Without the right to publish, the status becomes `pending`; with a later date, `future`. */
export function resolveStatus(scope: Scope, wanted: Status | null, date: Instant, now: Instant): Status {
  const { publish } = rightsOf(scope.user)
  const status = wanted ?? (publish ? 'publish' : 'draft')
  if (!publish && (status === 'publish' || status === 'future' || status === 'private')) return 'pending'
  if (status === 'publish' || status === 'future') return date > now ? 'future' : 'publish'
  return status
}

/** A trashed record releases its slug, and gets it back if it is still free. */
async function resolveSlug(
  tx: Tx,
  kind: RecordKind,
  given: string | null | undefined,
  title: string,
  status: Status,
  before: RecordRow | null,
): Promise<Pick<RecordRow, 'slug' | 'restore_slug'>> {
  const isOwn = given === before?.slug || (status === 'trash' && given === trashedSlug(before?.slug))
  const current = given === undefined || isOwn ? (before?.restore_slug ?? before?.slug) : given
  const wanted = current ?? (slugify(title) || kind)
  if (status !== 'trash') return { slug: await storage.freeSlug(tx, kind, wanted, before?.id), restore_slug: null }
  return {
    slug: await storage.freeSlug(tx, kind, withSuffix(wanted, TRASHED_SUFFIX), before?.id),
    restore_slug: wanted,
  }
}

/** The slug that a record has in the trash, if it is free. */
function trashedSlug(slug: string | undefined): string | undefined {
  return slug === undefined ? undefined : withSuffix(slug, TRASHED_SUFFIX)
}

/** Column values of the sent fields. */
export function storedColumns(fields: Fields, values: Record<string, unknown>): Partial<RecordRow> {
  const columns: Record<string, string | number | null> = {}
  for (const [name, { stored }] of entriesOf(fields)) {
    const value = values[name]
    if (stored && value !== undefined)
      columns[name] = typeof value === 'boolean' ? Number(value) : (value as string | number | null)
  }
  return columns
}

/** Names of the fields that are stored in columns. */
export function storedColumnNames(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.stored)
}

const defaults = new WeakMap<Fields, Partial<RecordRow>>()

/** Default column values, built once. */
export function defaultColumns(fields: Fields): Partial<RecordRow> {
  let columns = defaults.get(fields)
  if (columns === undefined) {
    const values = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default]))
    columns = storedColumns(fields, values)
    defaults.set(fields, columns)
  }
  return columns
}

/** Text for `search`: words of the searched fields, case-folded. */
export function searchText(fields: Fields, row: Partial<RecordRow>): string {
  const texts = entriesOf(fields).filter(([, field]) => field.searched)
  return texts
    .map(([name, { kind }], position) => {
      const value = row[name]
      if (typeof value !== 'string') return null
      return fold(position === 0 ? value : kind === richHtml ? wordsOfSafe(value) : words(value))
    })
    .filter((text) => text !== null)
    .join('\n')
}

/** Trashes or deletes a record. Returns the trashed row, or the deleted one. */
export async function remove(
  tx: Tx,
  scope: Scope,
  kind: RecordKind,
  row: RecordRow,
  force: boolean,
): Promise<RecordRow> {
  if (force) {
    await storage.remove(tx, kind, row.id)
    if (kind !== 'event') await forget(tx, kind, row.id)
    return row
  }
  if (row.status === 'trash') throw new AppError(`${kind}-is-in-trash` satisfies ErrorCode)
  await storage.update(tx, kind, row.id, await resolveColumns(tx, scope, kind, { status: 'trash' }, '', row))
  return find(tx, kind, { id: row.id }, 'no reader: write')
}
