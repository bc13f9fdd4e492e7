import type { Scope } from '../../domain/scope.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import type { ImportReport, ListedItem } from '../import-run.ts'
import { importBytes, REQUEST_LIMITS } from '../sent-file.ts'
import { sourceKind } from '../source-kind.ts'
import { columnsOf, type TableColumns } from '../table/columns.ts'
import { assumedDates, type Content, type ReadingOptions } from './content.ts'

/** What an import would do. */
export interface Preview {
  /** Null if it cannot be read: then the problem says why. */
  readonly report: ImportReport | null
  readonly problem: Problem | null
  /** The first records, with what would become of each. */
  readonly items: readonly ListedItem[]
  /** Columns of a table; null for a calendar. */
  readonly columns: TableColumns | null
}

/** Limit on listed records. */
const MAX_LISTED = 200

/** Runs an import whose changes are rolled back. */
export async function preview(scope: Scope, { bytes, type }: Content, options: ReadingOptions): Promise<Preview> {
  const columns = sourceKind(bytes, type) === 'table' ? columnsOf(bytes, options.columns) : null
  const items: ListedItem[] = []
  const list = (item: ListedItem) => {
    if (items.length < MAX_LISTED) items.push(item)
  }
  try {
    const report = await importBytes(scope, bytes, type, {
      ...REQUEST_LIMITS,
      ...options,
      assumedDates: assumedDates(scope),
      dryRun: true,
      list,
    })
    const problem = report === null ? { problem: 'not_a_calendar' } : null
    return { report, problem, items, columns }
  } catch (error) {
    const problem = error instanceof AppError ? error.details.params?.file : undefined
    if (problem === undefined) throw error
    return { report: null, problem, items, columns }
  }
}
