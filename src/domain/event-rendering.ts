import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '../calendar/zone.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import * as storage from '../storage/event-templates.ts'
import { type OwnData, ownDataOf } from './event-data.ts'
import type { JobKind } from './job-run.ts'
import type { Scope, Site } from './scope.ts'

/** Renders the JSON of events. */
export interface EventRenderer {
  /** A number for the way in which events of a site are rendered. */
  formOf(site: Site): number
  render(own: OwnData, site: Site): string
}

type RenderingScope = Pick<Scope, 'db' | 'clock' | 'site' | 'onDamage'>

/** Events of a batch. */
const BATCH = 100
/** Longer JSON is not stored, in characters: it is seldom, and reading it takes longer. */
const MAX_LENGTH = 32_768
/** How long an event stays as it is before it is rendered, in seconds: who changes many is not slowed down. */
const DELAY = 5
/** Pause after each batch, as a multiple of its duration: the rest of the time is for requests. */
const PAUSE = 3

/** Renders the events that were changed, in the order of their changes. */
export function renderingEvents(scope: RenderingScope, renderer: EventRenderer): JobKind {
  return {
    name: 'render-events',
    every: DELAY,
    async next(tx) {
      const changed = await storage.firstChange(tx, renderer.formOf(scope.site))
      return changed === null ? null : changed + DELAY
    },
    async run(_, signal) {
      for (;;) {
        const began = performance.now()
        if (!(await renderSome(scope, renderer, scope.clock() - DELAY))) return
        await sleep(PAUSE * (performance.now() - began), undefined, { signal })
      }
    },
  }
}

/** Renders all events that are changed until now, at once. */
export async function renderEvents(scope: RenderingScope, renderer: EventRenderer): Promise<void> {
  while (await renderSome(scope, renderer, scope.clock()));
}

/** Renders the next events that were changed up to a time. Returns whether there were any. */
async function renderSome(scope: RenderingScope, renderer: EventRenderer, until: Instant): Promise<boolean> {
  const { db, site } = scope
  const form = renderer.formOf(site)
  const { last, ids, events } = await db.readPrimary(async (tx) => {
    const changes = await storage.listChanges(tx, form, until, BATCH)
    const ids = changes.filter(({ kind }) => kind === 'event').map(({ record }) => record)
    return { last: changes.at(-1), ids, events: await ownDataOf(tx, scope, ids) }
  })
  if (last === undefined) return false
  const rendered: storage.StoredTemplate[] = []
  const slice = new TimeSlice()
  for (const own of events) {
    if (slice.isOver) await slice.yield()
    const text = textOf(own, site, renderer)
    if (text !== null) rendered.push({ event: own.row.id, revision: own.row.revision, form, text })
  }
  const stored = new Set(rendered.map(({ event }) => event))
  await db.writeWithoutInvalidating(async (tx) => {
    for (const one of rendered) await storage.put(tx, one)
    await storage.remove(
      tx,
      ids.filter((id) => !stored.has(id)),
    )
    await storage.setProgress(tx, form, last)
  })
  return true
}

/** Null for an event that has no JSON for several readers: it is protected, very long, or cannot be rendered. */
function textOf(own: OwnData, site: Site, renderer: EventRenderer): string | null {
  if (own.row.password_hash !== null) return null
  try {
    const text = renderer.render(own, site)
    return text.length > MAX_LENGTH ? null : text
  } catch {
    // Whoever reads the event is told.
    return null
  }
}
