import type { TermKind } from '../schema/term.ts'

import * as storage from '../storage/imports.ts'
import type { LinkedKind } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import * as events from './events.ts'
import * as imports from './imports.ts'
import type { Scope } from './scope.ts'
import { type Remote, SiteClient, type SiteOptions } from './site-client.ts'
import { SiteRecords } from './site-records.ts'

export { SiteError } from './site-client.ts'

export interface SiteReport extends imports.Report {
  /** How many of each other kind were brought, new or changed. */
  readonly brought: Readonly<Record<string, number>>
}

interface Options extends SiteOptions {
  readonly dryRun: boolean
  readonly onProgress?: (report: imports.Report, stage: string) => void
}

/** What is brought, in this order: what events are linked to comes before them. */
const STAGES = ['categories', 'tags', 'venues', 'organizers', 'events'] as const
type Stage = (typeof STAGES)[number]

const KIND: Record<Exclude<Stage, 'events'>, TermKind | LinkedKind> = {
  categories: 'category',
  tags: 'tag',
  venues: 'venue',
  organizers: 'organizer',
}

/** Those who have signed in may read these too. */
const ALL_STATUSES = 'publish,future,draft,pending,private'

/** How often a list is read again that changed while it was read: what moved to an earlier page was missed. */
const MOST_ROUNDS = 3

/** A copy of a site that is under way. */
interface Copy {
  readonly scope: Scope
  readonly run: imports.Run
  readonly client: SiteClient
  readonly records: SiteRecords
  /** Events that are part of others, by their ids there. */
  readonly parts: Map<number, number>
}

/** How far an import has come. */
interface Progress {
  readonly stage: Stage
  readonly page: number
  /** Events whose whole is not here yet. */
  readonly parts: readonly (readonly [number, number])[]
}

/** How many of those are remembered. */
const MOST_PARTS = 10_000

/**
 * Copies a whole site over its REST interface. After every page it is noted how far it has come: an import that was
 * interrupted goes on there. What was brought before is known by its id there, and left alone unless it has changed.
 */
export async function importSite(scope: Scope, address: string, options: Options): Promise<SiteReport> {
  const client = new SiteClient(address, scope.fetchLimits, options)
  const stage = { name: 'categories' as Stage }
  const run = imports.begin(scope, client.address, {
    dryRun: options.dryRun,
    onProgress: (report) => options.onProgress?.(report, stage.name),
  })
  await client.check()
  const records = new SiteRecords(scope, run)
  const before = await progressOf(scope, run)
  const copy = { scope, run, client, records, parts: new Map(before.parts) }
  for (const name of STAGES.slice(STAGES.indexOf(before.stage))) {
    stage.name = name
    await bringStage(copy, name, name === before.stage ? before.page : 1)
  }
  await setProgress(scope, run, null)
  return { ...run.report, brought: records.brought }
}

async function bringStage(copy: Copy, stage: Stage, firstPage: number): Promise<void> {
  const { scope, run, client, records } = copy
  const parameters = {
    ...(stage === 'events' && { start_date: '1000-01-01', end_date: '9999-12-31 23:59:59' }),
    ...((stage === 'categories' || stage === 'tags') && { hide_empty: '0' }),
    ...(client.isKnown && !['categories', 'tags'].includes(stage) && { status: ALL_STATUSES }),
  }
  const categories: Remote[] = []
  let from = stage === 'categories' ? 1 : firstPage
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const totals = new Set<number>()
    for (let page = from; ; page++) {
      const found = await client.page(stage, page, parameters)
      if (found !== null) totals.add(found.total)
      if (found === null || found.items.length === 0) break
      if (stage === 'categories') categories.push(...found.items)
      else await bringPage(copy, stage, found.items)
      run.onProgress(run.report)
      if (page >= found.pages) break
      await setProgress(scope, run, { stage, page: page + 1, parts: [...copy.parts].slice(0, MOST_PARTS) })
    }
    if (totals.size < 2) break
    from = 1
  }
  for (const category of parentsFirst(categories)) await records.bring('category', category)
}

async function bringPage(copy: Copy, stage: Stage, items: readonly Remote[]): Promise<void> {
  const { scope, run, records, parts } = copy
  if (stage !== 'events') {
    for (const item of items) await records.bring(KIND[stage], item)
    return
  }
  await imports.save(scope, run, await records.events(items))
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
        row: child && (await recordStorage.get(tx, 'event', { id: child.record })),
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

async function progressOf(scope: Scope, run: imports.Run): Promise<Progress> {
  const state = await scope.db.read((tx) => storage.progress(tx, run.source))
  const { stage = 'categories', page = 1, parts = [] }: Partial<Progress> = state === null ? {} : JSON.parse(state)
  // One page sooner: what was on the next one may have moved up since.
  return { stage, parts, page: Math.max(1, page - 1) }
}

async function setProgress(scope: Scope, run: imports.Run, progress: Progress | null): Promise<void> {
  if (run.dryRun) return
  const state = progress === null ? null : JSON.stringify(progress)
  await scope.db.write((tx) => storage.setProgress(tx, run.source, state, scope.clock()))
}
