import type { View } from '../http/endpoint.ts'
import { docsViews } from './docs.ts'
import { eventViews } from './event.ts'
import { gridViews } from './grid.ts'
import { listViews } from './list.ts'
import { mapViews } from './map.ts'
import { pluginViews } from './plugin-views.ts'
import { machineViews } from './sitemap.ts'
import { startViews } from './start.ts'
import { subjectViews } from './subjects.ts'

/** Pages, which show more to a reader who signed in. */
const forReaders: readonly View[] = [
  ...startViews,
  ...listViews,
  ...gridViews,
  ...mapViews,
  ...eventViews,
  ...subjectViews,
  ...docsViews,
]

/** Routes of all pages and of the sitemap. */
export const pages: readonly View[] = [
  ...forReaders.map((view): View => ({ ...view, session: true })),
  ...machineViews,
  ...pluginViews,
]
