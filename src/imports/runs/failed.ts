import { need, rightsOf } from '../../domain/access.ts'
import type { Scope } from '../../domain/scope.ts'
import * as storage from '../../storage/import-runs.ts'

/** How long failed runs are told of, in seconds. */
const TOLD = 7 * 86_400
const MOST = 20

/** Runs that failed lately, for the overview. */
export async function listFailed(scope: Scope): Promise<storage.ImportRunRow[]> {
  need(rightsOf(scope.user).edit === 'all')
  return scope.db.read((tx) => storage.listFailed(tx, scope.clock() - TOLD, MOST))
}
