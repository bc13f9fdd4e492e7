import { declare } from './field.ts'
import * as types from './value-types.ts'

/** What may be said with a calendar to import, or in its place. */
export const importParameters = declare('import', {
  url: { kind: types.url },
  dry_run: { kind: types.flag, default: false },
})
