import type { View } from '../http/endpoint.ts'
import { eventEditor, newEvent } from './events/editor.ts'
import { eventTable } from './events/table.ts'
import { overview } from './overview.ts'
import { screenView } from './screen.ts'
import { signInViews } from './sign-in.ts'

/** Routes of the screens for staff. */
export const manageViews: readonly View[] = [
  ...signInViews,
  ...[overview, eventTable, newEvent, eventEditor].map(screenView),
]
