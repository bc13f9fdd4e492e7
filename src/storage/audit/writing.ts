import { isInYears } from '../../calendar/years.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import type { AuditKind } from '../../schema/audit.ts'
import { LINKED_KINDS } from '../../schema/linked.ts'
import type { Tx } from '../dialect.ts'
import { insertLater, insertRows } from '../prepared.ts'
import type { WithoutReader } from '../visibility.ts'
import { forgetSuggestions } from '../word-search.ts'
import type { Content, Entry } from './entry.ts'
import { EVENT_PARTS, LOGGED, RESTORE_SLUG, type TrackedKind } from './logged.ts'
import { addToNewest, bytesOf, mayMerge } from './merging.ts'
import { LONG, type Names, read, readSettings, type Stored } from './reading.ts'
import { completeTerms, type Touched, type Tracker } from './tracker.ts'

/** Writes into the log what a transaction has changed. */

/** Writes the log of a transaction. Returns how much it has grown, in bytes. */
export async function writeLog(tx: Tx, tracker: Tracker): Promise<number> {
  const texts = new Texts()
  const entries: Entry[] = []
  const slice = new TimeSlice()
  for (const some of groupsOf(tracker.touched.values())) {
    const after = await present(tx, some)
    for (const touched of some) {
      if (slice.isOver) await slice.yield()
      touched.after = after.get(touched.id) ?? null
      const entry = entryOf(touched, after.get(touched.id), texts)
      if (entry !== null) entries.push(entry)
    }
  }
  await forgetSuggestions(tx, textsIn(entries, 'before'), textsIn(entries, 'after'))
  const settings = await settingsEntry(tx, tracker.settings)
  if (settings !== null) entries.push(settings)
  return insert(tx, tracker, entries, texts)
}

/** Fields whose words searches may suggest. */
const NAMING = ['title', 'description', 'excerpt', 'name', 'city', ...LINKED_KINDS]

/** Texts that searches find, each once. */
function textsIn(entries: readonly Entry[], side: 'before' | 'after'): Set<string> {
  const found = new Set<string>()
  for (const { [side]: content } of entries)
    for (const name of content === null ? [] : NAMING) {
      const value = content?.[name]
      if (typeof value === 'string') found.add(value)
      else if (value instanceof Text) found.add(value.text)
    }
  return found
}

/** Records of which the same is known: they are read together. */
function groupsOf(touched: Iterable<Touched>): Touched[][] {
  const key = ({ kind, isNew, known, before }: Touched) =>
    isNew ? `${kind} ${known === null ? 'read' : 'known'}` : `${kind} ${Object.keys(before).join(' ')}`
  return [...Map.groupBy(touched, key).values()]
}

/** Records as they are now; those that are gone are left out. */
async function present(tx: Tx, some: readonly Touched[]): Promise<Map<number, Stored>> {
  const [first] = some
  if (first === undefined) return new Map()
  if (first.known !== null) {
    if (first.kind === 'event')
      await completeTerms(
        tx,
        some.map(({ known }) => known ?? {}),
      )
    return new Map(some.map(({ id, known }) => [id, known ?? {}]))
  }
  const ids = some.map(({ id }) => id)
  return read(tx, first.kind, ids, first.isNew ? everything(first.kind) : namesIn(first.kind, first.before))
}

function everything(kind: TrackedKind): Names {
  return { columns: 'all', parts: kind === 'event' ? EVENT_PARTS : [] }
}

function namesIn(kind: TrackedKind, stored: Stored): Names {
  const columns = [...LOGGED[kind].columns.keys()].filter((name) => name in stored)
  const parts = kind === 'event' ? EVENT_PARTS.filter((name) => name in stored) : []
  return { columns: columns.length === LOGGED[kind].columns.size ? 'all' : columns, parts }
}

function entryOf({ kind, id, isNew, before }: Touched, after: Stored | undefined, texts: Texts): Entry | null {
  const row = after ?? before
  const title = String(row[LOGGED[kind].title] ?? '')
  const named = { kind: kind === 'term' ? (row.kind as AuditKind) : kind, record: id, title }
  if (after === undefined)
    return isNew ? null : { ...named, action: 'removed', before: content(kind, before, texts), after: null }
  if (isNew) return { ...named, action: 'created', before: null, after: content(kind, after, texts) }
  const [was, is] = [content(kind, before, texts, false), content(kind, after, texts, false)]
  const secrets = otherSecrets(kind, before, after)
  const changed = Object.keys(is).filter((name) => differs(was[name], is[name]) || secrets.has(name))
  if (changed.length === 0) return null
  return { ...named, action: 'changed', before: pick(was, changed), after: pick(is, changed) }
}

/** Fields whose secret was replaced by another one, which looks the same. */
function otherSecrets(kind: TrackedKind, before: Stored, after: Stored): Set<string> {
  const columns = [...LOGGED[kind].columns]
  const others = columns.filter(([column, { isSecret }]) => isSecret && before[column] !== after[column])
  return new Set(others.map(([, { field }]) => field))
}

function differs(one: unknown, other: unknown): boolean {
  return one !== other && JSON.stringify(one) !== JSON.stringify(other)
}

function pick(content: Content, names: readonly string[]): Content {
  return Object.fromEntries(names.map((name) => [name, content[name]]))
}

/** All logged fields of records as they are now, by id. */
export async function readFields(
  tx: Tx,
  kind: TrackedKind,
  ids: readonly number[],
  _reason: WithoutReader,
): Promise<Map<number, Content>> {
  const found = await read(tx, kind, ids, everything(kind))
  const texts = { shared: (value: unknown) => value }
  return new Map([...found].map(([id, stored]) => [id, content(kind, stored, texts, false)]))
}

/** The known fields of a record; of all of them, those that are empty are left out. */
function content(kind: TrackedKind, stored: Stored, texts: Pick<Texts, 'shared'>, isWhole = true): Content {
  const shown: Content = {}
  for (const [column, { field, show }] of LOGGED[kind].columns) {
    const value = stored[column]
    if (value === undefined || (column === RESTORE_SLUG && value === null)) continue
    const is = texts.shared(show(value))
    if (!isWhole || !isEmpty(is)) shown[field] = is
  }
  if (kind === 'event') addParts(shown, stored, isWhole)
  return shown
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === 0 || value === false || value === '' || (Array.isArray(value) && value.length === 0)
  )
}

interface LinkedTerm {
  readonly value: number
  readonly kind: string
}

function addParts(shown: Content, stored: Stored, isWhole: boolean): void {
  const put = (name: string, list: unknown[]) => {
    if (!isWhole || list.length > 0) shown[name] = list
  }
  for (const kind of LINKED_KINDS)
    if (kind in stored)
      put(
        kind,
        (stored[kind] as { value: number }[]).map(({ value }) => value),
      )
  if ('terms' in stored) {
    const of = (kind: string) =>
      (stored.terms as LinkedTerm[])
        .filter((term) => term.kind === kind)
        .map(({ value }) => value)
        .sort((one, other) => one - other)
    put('categories', of('category'))
    put('tags', of('tag'))
  }
  if ('tickets' in stored) put('tickets', (stored.tickets as Stored[]).map(ticket))
}

function ticket({ name, price, currency, url, capacity, available_from, available_until }: Stored): Content {
  const at = (value: unknown) =>
    typeof value === 'number' && isInYears(value) ? `${new Date(value * 1000).toISOString().slice(0, 19)}Z` : null
  return {
    name,
    price: price ?? null,
    currency: currency ?? null,
    url: url ?? null,
    capacity: capacity ?? null,
    available_from: at(available_from),
    available_until: at(available_until),
  }
}

async function settingsEntry(tx: Tx, before: Stored): Promise<Entry | null> {
  const after = await readSettings(tx, Object.keys(before))
  const changed = Object.keys(before).filter((name) => before[name] !== after[name])
  if (changed.length === 0) return null
  const named = { kind: 'setting', record: 0, title: '' } as const
  return { ...named, action: 'changed', before: pick(before, changed), after: pick(after, changed) }
}

/** A long text that many records may share. */
class Text {
  readonly text: string
  readonly number: number
  constructor(text: string, number: number) {
    this.text = text
    this.number = number
  }
  toJSON(): string {
    return this.text
  }
}

/** Long texts of a transaction, each once: thousands of occurrences have the same description. */
class Texts {
  readonly #known = new Map<string, Text>()

  shared(value: unknown): unknown {
    if (typeof value !== 'string' || value.length < LONG) return value
    let text = this.#known.get(value)
    if (text === undefined) {
      text = new Text(value, this.#known.size)
      this.#known.set(value, text)
    }
    return text
  }

  /** Content as a short text that is the same for the same content. */
  keyOf(content: Content | null): string {
    if (content === null) return ''
    return JSON.stringify(
      Object.entries(content).map(([name, value]) => [name, value instanceof Text ? { of: value.number } : value]),
    )
  }
}

/** Bytes that a row takes beside its content, with its indexes. */
const ROW = 300

async function insert(tx: Tx, { actor }: Tracker, entries: readonly Entry[], texts: Texts): Promise<number> {
  const { user, address, way } = actor
  const common = { at_utc: actor.clock(), user: user?.id ?? null, user_name: user?.name ?? null, address, way }
  const row = ({ action, kind, record, title }: Entry) => ({ ...common, action, kind, record, title })
  let bytes = ROW * entries.length
  const whole = (entry: Entry) => {
    const [before, after] = [text(entry.before), text(entry.after)]
    bytes += bytesOf(before, after)
    return { ...row(entry), before, after, same_as: null }
  }
  const [only, ...more] = entries
  if (only === undefined) return 0
  if (more.length === 0) {
    const long = longFields(only)
    const merges = mayMerge(only, actor, long)
    const grown = merges ? await addToNewest(tx, only, actor, long) : null
    if (grown !== null) return grown
    await insertLater(tx, 'audit', [{ ...whole(only), merges: merges ? 1 : 0 }])
    return bytes
  }
  const slice = new TimeSlice()
  const alike = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (slice.isOver) await slice.yield()
    const key = `${entry.action} ${texts.keyOf(entry.before)} ${texts.keyOf(entry.after)}`
    const some = alike.get(key)
    if (some === undefined) alike.set(key, [entry])
    else some.push(entry)
  }
  const alone: Entry[] = []
  for (const some of alike.values()) {
    if (slice.isOver) await slice.yield()
    const [first, ...others] = some
    if (first === undefined) continue
    if (others.length === 0) {
      alone.push(first)
      continue
    }
    const [stored] = await insertRows(tx, 'audit', [whole(first)], 'returning')
    const same_as = stored?.id ?? null
    await insertRows(
      tx,
      'audit',
      others.map((entry) => ({ ...row(entry), before: null, after: null, same_as })),
    )
  }
  await insertRows(tx, 'audit', alone.map(whole))
  return bytes
}

/** Names of the changed fields that have a long text, or had one. */
function longFields({ before, after }: Entry): string[] {
  const isLong = (content: Content | null, name: string) => content?.[name] instanceof Text
  return Object.keys(after ?? {}).filter((name) => isLong(before, name) || isLong(after, name))
}

function text(content: Content | null): string | null {
  return content === null ? null : JSON.stringify(content)
}
