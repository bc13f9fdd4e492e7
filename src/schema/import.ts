import { declare } from './field.ts'
import * as types from './value-types.ts'

/** Parameters of an import. */
export const importParameters = declare('import', {
  url: { kind: types.url },
  dry_run: { kind: types.flag, default: false },
  dates: { kind: types.oneOf('day-first', 'month-first') },
})
