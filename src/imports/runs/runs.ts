import { need, type Role, rightsOf } from '../../domain/access.ts'
import { acting } from '../../domain/acting.ts'
import * as heldFiles from '../../domain/held-files.ts'
import { add } from '../../domain/jobs.ts'
import type { Scope, User } from '../../domain/scope.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import * as storage from '../../storage/import-runs.ts'
import * as userStorage from '../../storage/users.ts'
import type { ImportReport } from '../import-run.ts'
import { fetchImportable, importBytes, REQUEST_LIMITS } from '../sent-file.ts'
import { assumedDates, type Content, parseOptions, type ReadingOptions } from './content.ts'

export type { ImportFeedRow, ImportRunRow } from '../../storage/import-runs.ts'

export type Store = Omit<Scope, 'user'>

/** Kind of the job that does a long run, or undoes one. */
export const RUN_JOB = 'run-import'

/** A run up to this size is done at once, in bytes; a larger one in the background. */
const AT_ONCE = 200_000
/** Limit on files of one user that wait between check and run. */
const MAX_CHECKED = 10
/** Limit on notes of a stored report. */
const MAX_NOTES = 300
/** How often progress is stored, in milliseconds. */
const PROGRESS = 1000

/** Stored report of a run. */
export interface StoredReport extends Omit<ImportReport, 'notes'> {
  readonly notes: ImportReport['notes']
  /** After an undo: how many records are as before, and which were left. */
  readonly undone?: number
  readonly left?: readonly LeftRecord[]
}

export interface LeftRecord {
  readonly kind: string
  readonly name: string
}

/** Keeps a file for a run. The oldest that the user has only checked go. */
export async function keep(scope: Scope, content: Content, options: ReadingOptions): Promise<number> {
  need(rightsOf(scope.user).edit === 'all')
  const user = scope.user?.id ?? 0
  const old = (await scope.db.read((tx) => storage.listChecked(tx, user))).slice(0, -(MAX_CHECKED - 1))
  for (const run of old) await forget(scope, run)
  const file = await heldFiles.hold(scope, content.bytes, 'application/octet-stream')
  return scope.db.writeWithoutInvalidating(async (tx) => {
    await heldFiles.claim(tx, file)
    return storage.create(tx, {
      user,
      name: content.name,
      url: content.url,
      file,
      bytes: content.bytes.length,
      options: JSON.stringify(options),
      feed: null,
      state: 'checked',
      report: null,
      error: null,
      created_utc: scope.clock(),
      ended_utc: null,
    })
  })
}

export async function get(scope: Scope, id: number): Promise<storage.ImportRunRow> {
  need(rightsOf(scope.user).edit === 'all')
  const run = Number.isSafeInteger(id) ? await scope.db.read((tx) => storage.get(tx, id)) : undefined
  if (run === undefined) throw new AppError('rest_no_route')
  return run
}

/** The bytes of a run that was checked. */
export async function contentOfRun(scope: Scope, run: storage.ImportRunRow): Promise<Content> {
  const bytes = run.file === null ? null : await heldFiles.read(scope, run.file)
  if (bytes === null) throw new AppError('rest_invalid_param', { params: { file: { problem: 'missing' } } })
  return { name: run.name, url: run.url, bytes, type: undefined }
}

/** Begins a run that was checked. A short one is over when this returns. */
export async function start(scope: Scope, id: number, options: ReadingOptions): Promise<void> {
  const run = await get(scope, id)
  const isLong = run.bytes > AT_ONCE
  const begun = await scope.db.writeWithoutInvalidating(async (tx) => {
    const changes = { state: isLong ? 'queued' : 'running', options: JSON.stringify(options) } as const
    const isOurs = await storage.update(tx, id, changes, ['checked'])
    if (isOurs && isLong) await add(tx, { kind: RUN_JOB, key: String(id), payload: { run: id } })
    return isOurs
  })
  if (begun && !isLong) await perform(scope, id)
}

/** Does a run. It may be repeated: what was done before is unchanged then. */
export async function perform(scope: Store, id: number): Promise<void> {
  const run = await scope.db.read((tx) => storage.get(tx, id))
  if (run === undefined || !['queued', 'running'].includes(run.state)) return
  await scope.db.writeWithoutInvalidating((tx) => storage.update(tx, id, { state: 'running' }))
  try {
    const user = await userOf(scope, run.user)
    const report = await importRun(acting({ ...scope, user }, 'import', { user }), run)
    await end(scope, run, { state: 'done', report: await settled(scope, run, report) })
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    await end(scope, run, { state: 'failed', error: JSON.stringify(problem) })
  }
}

async function importRun(scope: Scope, run: storage.ImportRunRow): Promise<ImportReport> {
  let last = 0
  const onProgress = (report: ImportReport) => {
    if (performance.now() - last < PROGRESS) return
    last = performance.now()
    const stored = JSON.stringify(storable(report))
    void scope.db
      .writeWithoutInvalidating((tx) => storage.update(tx, run.id, { report: stored }, ['running']))
      .catch(() => {})
  }
  const { bytes, type } =
    run.file === null && run.url !== null ? await fetchImportable(scope, run.url) : await contentOfRun(scope, run)
  const reading = parseOptions(run.options)
  const options = {
    ...REQUEST_LIMITS,
    ...reading,
    assumedDates: assumedDates(scope),
    dryRun: false,
    journal: run.id,
    onProgress,
  }
  const report = await importBytes(scope, bytes, type, options)
  if (report === null) throw new AppError('rest_invalid_param', { params: { file: { problem: 'not_a_calendar' } } })
  return report
}

/** A run that was interrupted and repeated finds as unchanged what it has created itself. */
async function settled(scope: Store, { id }: storage.ImportRunRow, report: ImportReport): Promise<string> {
  const counts = await scope.db.read((tx) => storage.countChanges(tx, id))
  const created = Math.max(report.created, counts['event created'] ?? 0)
  const updated = Math.max(report.updated, counts['event updated'] ?? 0)
  return JSON.stringify({ ...storable(report), created, updated })
}

function storable(report: ImportReport): ImportReport {
  return { ...report, notes: report.notes.slice(0, MAX_NOTES) }
}

async function end(
  scope: Store,
  { id, file }: storage.ImportRunRow,
  result: { state: 'done' | 'failed'; report?: string; error?: string },
): Promise<void> {
  await scope.db.writeWithoutInvalidating(async (tx) => {
    await storage.update(tx, id, { ...result, file: null, ended_utc: scope.clock() })
    if (file !== null) await heldFiles.release(tx, file, scope.clock())
  })
  if (file !== null) await heldFiles.drop(scope, file)
}

/** Why a run failed; null for an error that is worth another attempt. */
function problemOf(error: unknown): Problem | null {
  if (!(error instanceof AppError) || error.status >= 500) return null
  const [problem] = Object.values(error.details.params ?? {})
  return problem ?? { problem: 'import_refused', reason: error.code }
}

/** The user who began a run, with the rights of today. */
export async function userOf({ db }: Pick<Scope, 'db'>, id: number): Promise<User> {
  const row = await db.read((tx) => userStorage.get(tx, id))
  if (row === undefined || row.disabled_utc !== null) throw new AppError('rest_forbidden')
  return { id, name: row.name, role: row.role as Role }
}

/** Removes a run and its file. */
export async function forget(scope: Pick<Scope, 'db' | 'files' | 'clock'>, run: storage.ImportRunRow): Promise<void> {
  const { id, file } = run
  await scope.db.writeWithoutInvalidating(async (tx) => {
    await storage.remove(tx, id)
    if (file !== null) await heldFiles.release(tx, file, scope.clock())
  })
  if (file !== null) await heldFiles.drop(scope, file)
}

export async function list(scope: Scope, limit: number): Promise<storage.ImportRunRow[]> {
  need(rightsOf(scope.user).edit === 'all')
  return scope.db.read((tx) => storage.list(tx, limit))
}
