import type { Scope } from '../../domain/scope.ts'
import { CsvReader, type CsvRow } from '../../lib/csv.ts'
import { asHtml } from '../../lib/html.ts'
import { slugify } from '../../lib/slug.ts'
import { splitNames, unprotectText } from '../../lib/table-cells.ts'
import { eventFields, NOT_IN_TABLES } from '../../schema/event.ts'
import { byLinkedKind, LINKED_KINDS } from '../../schema/linked.ts'
import { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import { Names } from '../links.ts'

/** Thrown when a table cannot be read. */
export class TableError extends Error {}

/** Columns that identify rows, besides the fields of events. */
const IDENTITY = ['uid', 'id']

/** Columns with names of linked records and terms. */
const LINKS: readonly string[] = [...LINKED_KINDS, 'categories', 'tags']

const FIELDS = Object.keys(eventFields).filter((name) => !(NOT_IN_TABLES as readonly string[]).includes(name))

export interface TableOptions {
  readonly dryRun: boolean
  readonly onProgress?: (report: imports.ImportReport) => void
  /** A `slug` that an event here has, and the same `id` if there is one, means that event. */
  readonly adopt?: boolean
}

/**
 * Imports a table with a header row, whose columns have the names of the fields of events. Rows are known again by their
 * `uid`, `id` or `slug`, or by their title and start.
 */
export async function importTable(
  scope: Scope,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: TableOptions,
): Promise<imports.ImportReport> {
  const run = imports.begin(scope, 'csv', options)
  const reader = new CsvReader()
  const images = new ImportedImages(scope, run)
  const seen = new Set<string>()
  let columns: string[] | null = null
  let items: imports.Item[] = []
  const take = async (rows: readonly CsvRow[]) => {
    for (const row of rows) {
      const problem = problemOf(row, columns)
      if (columns === null) columns = headerOf(run, row)
      else if (problem !== null) imports.note(run, { line: row.line, uid: '', problem: { problem } })
      else {
        const item = itemOf(scope, columns, row, options.adopt === true)
        if (seen.has(item.uid)) imports.note(run, { ...item, problem: { problem: 'entry_repeated' } })
        else items.push(item)
        seen.add(item.uid)
      }
      if (items.length >= imports.BATCH) await flush()
    }
  }
  const flush = async () => {
    const batch = await images.bringAll(items)
    items = []
    await imports.save(scope, run, batch)
  }
  for await (const chunk of chunks) await take(reader.push(chunk))
  await take(reader.end())
  if (columns === null) throw new TableError('the table is empty: its first row must name its columns')
  await flush()
  return run.report
}

/** Problem of a row, or null. Spreadsheets add empty cells after the last column. */
function problemOf({ cells, isCut, isOpen }: CsvRow, columns: readonly string[] | null): string | null {
  if (isCut) return 'entry_too_large'
  if (isOpen) return 'quote_not_closed'
  return cells.slice(columns?.length).some((cell) => cell.trim() !== '') ? 'too_many_cells' : null
}

/** Names of the columns. Unknown ones get one note each. */
function headerOf(run: imports.ImportRun, { cells, line }: CsvRow): string[] {
  const columns = cells.map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  )
  for (const name of ['title', 'start_date']) {
    if (!columns.includes(name))
      throw new TableError(`the table has no column "${name}": its first row must name its columns`)
  }
  for (const [place, name] of columns.entries()) {
    if (name === '' || [...FIELDS, ...IDENTITY].includes(name)) continue
    imports.note(run, { line, uid: cells[place] ?? '', problem: { problem: 'column_not_read' } }, false)
  }
  return columns
}

function itemOf(scope: Scope, columns: readonly string[], { cells, line }: CsvRow, adopt: boolean): imports.Item {
  const row = new Map(columns.map((name, place) => [name, unprotectText((cells[place] ?? '').trim())]))
  const cell = (name: string) => row.get(name) ?? ''
  const fields: Record<string, unknown> = Object.fromEntries(
    [...row].filter(([name]) => FIELDS.includes(name) && !LINKS.includes(name)),
  )
  // Tables hold plain text, so `<` in a title is escaped.
  fields.title = asHtml(cell('title'))
  // Without an end, the event ends at its start.
  if (cell('end_date') === '') fields.end_date = cell('start_date')
  // An empty slug or status cell means that none was given.
  for (const name of ['slug', 'status', 'date', 'date_utc', 'image']) if (cell(name) === '') delete fields[name]
  // An image is either an address to fetch or the id of an existing image.
  const image = /^https?:\/\//i.test(cell('image')) ? cell('image') : null
  if (image !== null) delete fields.image
  for (const name of Object.keys(fields)) {
    if (typeof fields[name] === 'string' && eventFields[name as 'featured'].kind.type === 'boolean')
      fields[name] = String(fields[name]).toLowerCase()
  }
  const slug = slugify(cell('slug'))
  const id = /^\d{1,15}$/.test(cell('id')) ? Number(cell('id')) : null
  const isOwn = adopt && slug !== '' && cell('uid') === ''
  return {
    // A table of another site may have the same ids.
    uid: isOwn ? `own ${uidOf(cell)}` : uidOf(cell),
    part: '',
    parent: null,
    line,
    cancelled: false,
    hash: imports.hashOf([...row]),
    fields,
    ...(isOwn && { adopts: { slug, id } }),
    ...(image !== null && { image }),
    links: async (tx, found) => {
      const names = new Names(tx, scope, found)
      const linked = byLinkedKind((): number[] => [])
      for (const kind of LINKED_KINDS)
        for (const name of splitNames(cell(kind), '|')) linked[kind].push(...(await names.named(kind, name)))
      const all = {
        ...linked,
        categories: await names.terms('category', splitNames(cell('categories'), ',')),
        tags: await names.terms('tag', splitNames(cell('tags'), ',')),
      }
      return Object.fromEntries(Object.entries(all).filter(([name]) => row.has(name)))
    },
  }
}

function uidOf(cell: (name: string) => string): string {
  if (cell('uid') !== '') return cell('uid').slice(0, 1000)
  if (cell('id') !== '') return `id:${cell('id').slice(0, 1000)}`
  if (cell('slug') !== '') return `slug:${slugify(cell('slug'))}`
  return `no-uid-${imports.hashOf([cell('title'), cell('start_date')])}`
}
