import * as events from '../../domain/events.ts'
import type { Scope } from '../../domain/scope.ts'
import type { TermKind } from '../../schema/term.ts'
import * as storage from '../../storage/imports.ts'
import type { LinkedKind } from '../../storage/records.ts'
import * as recordStorage from '../../storage/records.ts'
import * as imports from '../import-run.ts'
import * as saving from '../saving.ts'
import type { FoundSite } from './find-site.ts'
import type { Remote, RemotePage, SiteClient } from './site-client.ts'
import { SiteRecords } from './site-records.ts'

export interface SiteReport extends imports.ImportReport {
  /** How many of each other kind were brought, new or changed. */
  readonly brought: Readonly<Record<string, number>>
}

interface Options {
  readonly dryRun: boolean
  readonly onProgress?: (report: imports.ImportReport, stage: string) => void
}

/** What is brought, in this order: what events are linked to comes before them. */
const STAGES = ['categories', 'tags', 'venues', 'organizers', 'events', 'hidden'] as const
type Stage = (typeof STAGES)[number]
type ListStage = Exclude<Stage, 'hidden'>

const KIND: Record<Exclude<ListStage, 'events'>, TermKind | LinkedKind> = {
  categories: 'category',
  tags: 'tag',
  venues: 'venue',
  organizers: 'organizer',
}

/** Those who have signed in may read these too. */
const ALL_STATUSES = 'publish,future,draft,pending,private'

/**
 * All of time, where a list would otherwise begin today. A day is left at either end: the clock of the site may be
 * ahead of or behind UTC, and its database knows no year before 1000 or after 9999.
 */
const ALL_DATES = { start_date: '1000-01-02', end_date: '9999-12-30 23:59:59' }

/** How often a list is read again that changed while it was read: what moved to an earlier page was missed. */
const MAX_ROUNDS = 3

/** A copy of a site that is under way. */
interface Copy {
  readonly scope: Scope
  readonly run: imports.ImportRun
  readonly client: SiteClient
  readonly records: SiteRecords
  /** Events that are part of others, by their ids there. */
  readonly parts: Map<number, number>
  /** The ids of all events that were in a list of this run. */
  readonly listed: Set<number>
  /** Whether this run began with the first event. */
  readonly isWhole: boolean
}

/** How far an import has come. */
interface Progress {
  readonly stage: Stage
  readonly page: number
  /** Events whose whole is not here yet. */
  readonly parts: readonly (readonly [number, number])[]
}

/** How many of those are remembered. */
const MAX_PARTS = 10_000

/**
 * Copies a whole site over its REST interface. After every page it is noted how far it has come: an import that was
 * interrupted goes on there. What was brought before is known by its id there, and left alone unless it has changed.
 */
export async function importSite(scope: Scope, { client, index }: FoundSite, options: Options): Promise<SiteReport> {
  const stage = { name: 'categories' as Stage }
  const run = imports.begin(scope, client.address, {
    dryRun: options.dryRun,
    onProgress: (report) => options.onProgress?.(report, stage.name),
  })
  await client.check(index)
  const records = new SiteRecords(scope, run, client)
  const before = await progressOf(scope, run)
  const isWhole = before.stage !== 'hidden' && (before.stage !== 'events' || before.page === 1)
  const copy = { scope, run, client, records, parts: new Map(before.parts), listed: new Set<number>(), isWhole }
  for (const name of STAGES.slice(STAGES.indexOf(before.stage))) {
    stage.name = name
    const page = name === before.stage ? before.page : 1
    if (name === 'hidden') await bringHidden(copy, page)
    else await bringStage(copy, name, page)
  }
  await setProgress(scope, run, null)
  return { ...run.report, brought: records.brought }
}

async function bringStage(copy: Copy, stage: ListStage, firstPage: number): Promise<void> {
  const { run, client, records } = copy
  const parameters = {
    ...(stage === 'events' && ALL_DATES),
    ...((stage === 'categories' || stage === 'tags') && { hide_empty: '0' }),
    ...(client.isKnown && !['categories', 'tags'].includes(stage) && { status: ALL_STATUSES }),
  }
  const seen = stage === 'events' ? copy.listed : new Set<number>()
  const categories: Remote[] = []
  let from = stage === 'categories' ? 1 : firstPage
  let missing = 0
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = seen.size
    const totals = new Set<number>()
    for await (const { items, total } of pagesOf(copy, stage, from, parameters)) {
      totals.add(total)
      for (const { id } of items) seen.add(Number(id))
      if (stage === 'categories') categories.push(...items)
      else await bringPage(copy, stage, items)
      run.onProgress(run.report)
    }
    missing = from > 1 ? 0 : Math.max(0, ...totals) - seen.size
    // A site whose order leaves room for chance shows some twice and others never; one that counts more than it shows, always.
    const isWhole = missing <= 0 || (round > 0 && seen.size === before)
    if (totals.size < 2 && isWhole) break
    from = 1
  }
  if (missing > 0)
    imports.note(run, { line: 0, uid: stage, problem: { problem: 'site_list_short', count: missing } }, false)
  for (const category of parentsFirst(categories)) await records.bring('category', category)
}

/** The pages of a list from one on; it is noted how far they were used. */
async function* pagesOf(
  { scope, run, client, parts }: Copy,
  stage: ListStage,
  from: number,
  parameters: Record<string, string>,
): AsyncGenerator<RemotePage> {
  for (let page = from; ; page++) {
    const found = await client.page(stage, page, parameters)
    if (found === null) return
    yield found
    if (found.items.length === 0 || page >= found.pages) return
    await setProgress(scope, run, { stage, page: page + 1, parts: [...parts].slice(0, MAX_PARTS) })
  }
}

/** Events that the calendar there hides from its lists, found among all that WordPress knows of. */
async function bringHidden(copy: Copy, firstPage: number): Promise<void> {
  const { scope, run, client, listed, parts } = copy
  const parameters: Record<string, string> = client.isKnown ? { status: ALL_STATUSES } : {}
  for (let page = firstPage, pages = page; page <= pages; page++) {
    const found = await client.posts(page, parameters)
    if (found === null) {
      imports.note(run, { line: 0, uid: 'events', problem: { problem: 'site_hidden' } }, false)
      return
    }
    pages = found.pages
    const items: Remote[] = []
    for (const id of await unlisted(copy, found.ids)) {
      const event = await client.event(id)
      // Others are not in lists under this id, such as the whole of a series.
      if (event?.hide_from_listings === true) items.push(event)
      listed.add(id)
    }
    await bringPage(copy, 'events', items)
    run.onProgress(run.report)
    await setProgress(scope, run, { stage: 'hidden', page: page + 1, parts: [...parts].slice(0, MAX_PARTS) })
  }
}

/** Those that no list of this run had; after an interruption, that none before it had either. */
async function unlisted({ scope, run, listed, isWhole }: Copy, ids: readonly number[]): Promise<number[]> {
  const others = ids.filter((id) => !listed.has(id))
  if (isWhole) return others
  const known = await scope.db.read((tx) => storage.listEvents(tx, run.source, others.map(String), ['']))
  const before = new Set(known.map(({ uid }) => Number(uid)))
  return others.filter((id) => !before.has(id))
}

async function bringPage(copy: Copy, stage: ListStage, items: readonly Remote[]): Promise<void> {
  const { scope, run, records, parts } = copy
  if (stage !== 'events') {
    for (const item of items) await records.bring(KIND[stage], item)
    return
  }
  await saving.save(scope, run, await records.events(items))
  for (const { id, parent } of items) if (Number(parent) > 0) parts.set(Number(id), Number(parent))
  await bringParents(copy)
}

/** Categories in an order in which each comes behind the one above it. */
function parentsFirst(categories: readonly Remote[]): Remote[] {
  const waiting = new Map(categories.map((category) => [Number(category.id), category]))
  const ordered: Remote[] = []
  const take = (id: number) => {
    const category = waiting.get(id)
    if (category === undefined) return
    // Taken out first, so that a circle ends.
    waiting.delete(id)
    take(Number(category.parent))
    ordered.push(category)
  }
  for (const id of [...waiting.keys()]) take(id)
  return ordered
}

/** Makes events parts of others as soon as both are here: a part may come before the whole. */
async function bringParents({ scope, run, parts }: Copy): Promise<void> {
  for (const [id, parent] of run.dryRun ? [] : parts) {
    const { row, whole } = await scope.db.read(async (tx) => {
      const child = await storage.get(tx, run.source, 'event', String(id))
      return {
        row: child && (await recordStorage.get(tx, 'event', { id: child.record }, 'no reader: write')),
        whole: await storage.get(tx, run.source, 'event', String(parent)),
      }
    })
    if (row === undefined || whole === undefined) continue
    parts.delete(id)
    if (row.parent === whole.record) continue
    try {
      await events.update(scope, { id: row.id }, () => ({ parent: whole.record }))
    } catch (error) {
      imports.note(run, { line: 0, uid: `event ${id}`, problem: imports.problemOf(error) }, false)
    }
  }
}

async function progressOf(scope: Scope, run: imports.ImportRun): Promise<Progress> {
  const state = await scope.db.read((tx) => storage.progress(tx, run.source))
  const { stage = 'categories', page = 1, parts = [] }: Partial<Progress> = state === null ? {} : JSON.parse(state)
  // One page sooner: what was on the next one may have moved up since.
  return { stage, parts, page: Math.max(1, page - 1) }
}

async function setProgress(scope: Scope, run: imports.ImportRun, progress: Progress | null): Promise<void> {
  if (run.dryRun) return
  const state = progress === null ? null : JSON.stringify(progress)
  await scope.db.write((tx) => storage.setProgress(tx, run.source, state, scope.clock()))
}
