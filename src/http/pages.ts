import type { View } from './endpoint.ts'
import { docsViews } from './pages/docs.ts'
import { eventViews } from './pages/event.ts'
import { gridViews } from './pages/grid.ts'
import { listViews } from './pages/list.ts'
import { mapViews } from './pages/map.ts'
import { machineViews } from './pages/sitemap.ts'
import { startViews } from './pages/start.ts'
import { subjectViews } from './pages/subjects.ts'

/** Every page that people read, and what leads machines to them. */
export const pages: readonly View[] = [
  ...startViews,
  ...listViews,
  ...gridViews,
  ...mapViews,
  ...eventViews,
  ...subjectViews,
  ...docsViews,
  ...machineViews,
]
