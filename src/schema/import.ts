import { declare } from './field.ts'
import * as kinds from './kinds.ts'

/** What may be said with a calendar to import, or in its place. */
export const importParameters = declare('import', {
  url: { kind: kinds.url },
  dry_run: { kind: kinds.flag, default: false },
})
