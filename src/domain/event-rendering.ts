import { setTimeout as sleep } from 'node:timers/promises'
import { TimeSlice } from '../lib/time-slices.ts'
import { putEntry } from '../storage/event-entries.ts'
import * as storage from '../storage/event-templates.ts'
import type { CurrentSite } from './current-site.ts'
import { type OwnData, ownDataOf } from './event-data.ts'
import type { JobKind } from './job-run.ts'
import type { Scope, Site } from './scope.ts'

/** Renders the JSON of events. */
export interface EventRenderer {
  /** A number for the way in which events of a site are rendered. */
  formOf(site: Site): number
  render(own: OwnData, site: Site): string
}

interface RenderingScope extends Pick<Scope, 'db' | 'clock' | 'onDamage'> {
  readonly current: Pick<CurrentSite, 'last' | 'read'>
}

/** Events of a batch: requests wait while one is rendered and stored. */
const BATCH = 20
/** Longer JSON is not stored, in bytes, nor that of longer texts: it is seldom, and takes long to read and to render. */
const MAX_LENGTH = 32_768
/** How long an event stays as it is before it is rendered, and the pause between two runs, in seconds: who changes many is not slowed down. */
const DELAY = 10
/** Pause after each batch, as a multiple of its duration: the rest of the time is for requests. */
const PAUSE = 3

/** Renders the events that were changed, in the order of their changes. */
export function renderingEvents(scope: RenderingScope, renderer: EventRenderer): JobKind {
  return {
    name: 'render-events',
    every: DELAY,
    // The settings may be outdated here: then a run reads them, and has nothing to do.
    next: (tx) => storage.nextDue(tx, renderer.formOf(scope.current.last), scope.clock(), DELAY),
    async run(_, signal) {
      for (;;) {
        const began = performance.now()
        if (!(await renderSome(scope, renderer, DELAY))) return
        await sleep(PAUSE * (performance.now() - began), undefined, { signal })
      }
    },
  }
}

/** Renders all events that were changed, at once. */
export async function renderEvents(scope: RenderingScope, renderer: EventRenderer): Promise<void> {
  while (await renderSome(scope, renderer, 0));
}

/** Renders the next events that were changed so many seconds ago. Returns whether there were any. */
async function renderSome(scope: RenderingScope, renderer: EventRenderer, delay: number): Promise<boolean> {
  const { db } = scope
  const now = scope.clock()
  const site = await scope.current.read()
  const form = renderer.formOf(site)
  const { last, ids, events } = await db.readPrimary(async (tx) => {
    const changes = await storage.listDue(tx, form, now, delay, BATCH)
    const ids = changes.filter(({ kind }) => kind === 'event').map(({ record }) => record)
    return {
      last: changes.at(-1),
      ids,
      events: await ownDataOf(tx, scope, await storage.shortEvents(tx, ids, MAX_LENGTH)),
    }
  })
  if (last === undefined) return false
  const rendered: (storage.StoredTemplate & { readonly own: OwnData })[] = []
  const slice = new TimeSlice()
  for (const own of events) {
    if (slice.isOver) await slice.yield()
    const text = textOf(own, site, renderer)
    if (text !== null) rendered.push({ event: own.row.id, revision: own.row.revision, form, text, own })
  }
  const stored = new Set(rendered.map(({ event }) => event))
  await db.writeWithoutInvalidating(async (tx) => {
    for (const { own, ...template } of rendered) {
      await storage.put(tx, template)
      await putEntry(tx, own.row, own.links)
    }
    await storage.remove(
      tx,
      ids.filter((id) => !stored.has(id)),
    )
    await storage.setProgress(tx, form, last, now)
  })
  return true
}

/** Null if it is very long, damaged, or cannot be rendered. */
function textOf(own: OwnData, site: Site, renderer: EventRenderer): string | null {
  if (!Object.values(own.links).flat().every(Number.isSafeInteger)) return null
  try {
    const text = renderer.render(own, site)
    return Buffer.byteLength(text) > MAX_LENGTH ? null : text
  } catch {
    // Whoever reads the event is told.
    return null
  }
}
