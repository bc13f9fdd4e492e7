import { feeds } from '../feeds/views.ts'
import { pages } from '../pages/views.ts'
import type { View } from './endpoint.ts'

/** Everything that is read beside the REST interface: pages and feeds. */
export const views: readonly View[] = [...feeds, ...pages]
