import { preload } from '../../lib/lazy.ts'
import { SECTIONS } from '../layout.ts'
import type { Screen } from '../screen.ts'

// Loaded on first use, for a faster start: imports need much code.
const list = () => import('./list.ts')
const run = () => import('./run.ts')
preload(list)

type Action = NonNullable<Screen['actions']>[string]

export const importList: Screen = {
  path: '/imports',
  allows: SECTIONS.imports,
  upload: true,
  show: async (context) => (await list()).show(context),
  actions: Object.fromEntries(
    (['check', 'run', 'undo', 'stop'] as const).map((name): [string, Action] => [
      name,
      async (context) => (await list()).actions[name](context),
    ]),
  ),
}

export const importRun: Screen = {
  path: '/imports/:id',
  allows: SECTIONS.imports,
  show: async (context) => (await run()).show(context),
  actions: {
    undo: async (context) => (await run()).undo(context, context.call.id),
    run: async (context) => (await run()).start(context),
  },
}
