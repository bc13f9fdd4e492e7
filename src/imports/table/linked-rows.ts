import { visibilityOf } from '../../domain/access.ts'
import * as linkedRecords from '../../domain/linked-records.ts'
import { readingOf } from '../../domain/records.ts'
import type { Scope } from '../../domain/scope.ts'
import type { CsvRow } from '../../lib/csv.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { fold } from '../../lib/fold.ts'
import { asHtml, plainText } from '../../lib/html.ts'
import { type Fields, readFields, storedEntries } from '../../schema/field.ts'
import { byLinkedKind, LINKED_FIELDS, type LinkedKind } from '../../schema/linked.ts'
import * as storage from '../../storage/imports.ts'
import * as linkedStorage from '../../storage/linked-records.ts'
import type { RecordRow } from '../../storage/records.ts'
import * as recordStorage from '../../storage/records.ts'
import type { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import { recordLinked } from '../journal.ts'
import { addressText, type Cell, flagText } from './cells.ts'
import type { Table } from './table.ts'

type Payload = Record<string, unknown>
type Outcome = 'created' | 'updated' | 'unchanged' | Problem

/** Columns that are empty in a record that a table of events has made of a name alone. */
const DETAILS = byLinkedKind((kind) =>
  storedEntries<Fields, string>(LINKED_FIELDS[kind], [kind])
    .filter(([, field]) => field.kind.type !== 'boolean')
    .map(([name]) => name),
)

/** Rows of a table of venues or organizers. */
export class LinkedRows {
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #table: Table
  readonly #kind: LinkedKind
  readonly #images: ImportedImages
  /** Names in the table; whether there are several rows of one. */
  readonly #names = new Map<string, boolean>()
  readonly #seen = new Set<string>()

  constructor(scope: Scope, run: imports.ImportRun, table: Table, kind: LinkedKind, images: ImportedImages) {
    this.#scope = scope
    this.#run = run
    this.#table = table
    this.#kind = kind
    this.#images = images
  }

  /** Counts a name, before any row is taken. */
  see({ cells }: CsvRow): void {
    const name = fold(this.#table.cellsOf(cells)(this.#kind)).slice(0, 1000)
    this.#names.set(name, this.#names.has(name))
  }

  /** Creates or changes the record of a row, unless it is here and has not changed. */
  async take({ cells, line }: CsvRow): Promise<void> {
    const cell = this.#table.cellsOf(cells)
    const uid = this.#uid(cell)
    if (this.#seen.has(uid)) return imports.note(this.#run, { line, uid, problem: { problem: 'entry_repeated' } })
    this.#seen.add(uid)
    const hash = imports.hashOf(this.#table.contentOf(cells))
    const outcome = await this.#save(uid, hash, line, cell)
    this.#run.list({ name: cell(this.#kind), start: '', outcome })
    if (typeof outcome === 'string') this.#run.report[outcome]++
    else imports.note(this.#run, { line, uid, problem: outcome })
    this.#run.onProgress(this.#run.report)
  }

  /** A row is known by its name; rows that share one, by their address or e-mail address as well. */
  #uid(cell: Cell): string {
    const name = fold(cell(this.#kind)).slice(0, 1000)
    if (this.#names.get(name) !== true) return `name:${name}`
    const more = this.#kind === 'venue' ? [cell('address'), cell('city'), cell('zip')] : [cell('email'), cell('phone')]
    return `name:${name}:${imports.hashOf(more)}`
  }

  async #save(uid: string, hash: string, line: number, cell: Cell): Promise<Outcome> {
    const kind = this.#kind
    const { known, row } = await this.#known(uid, cell)
    if (row !== null && known?.hash === hash) return 'unchanged'
    if (row?.status === 'trash') return { problem: 'entry_in_trash' }
    try {
      const payload = await this.#payload(uid, line, cell)
      const outcome = row === null ? 'created' : 'updated'
      if (this.#run.dryRun) return this.#problemOf(payload) ?? outcome
      const saved =
        row === null
          ? await linkedRecords.create(this.#scope, kind, () => payload)
          : await linkedRecords.update(this.#scope, kind, { id: row.id }, () => payload)
      const { source } = this.#run
      const at = this.#scope.clock()
      const entry = { source, kind, uid, part: '', record: saved.row.id, hash, imported_utc: at }
      const { journal } = this.#run
      await this.#scope.db.write(async (tx) => {
        await storage.putAll(tx, [entry])
        if (journal !== null) await recordLinked(tx, journal, { ...entry, before: row, known: known?.hash ?? null })
      })
      return outcome
    } catch (error) {
      return imports.problemOf(error)
    }
  }

  /** The record of an earlier import or, without one, a record that has this name and nothing else. */
  async #known(uid: string, cell: Cell): Promise<{ known: storage.ImportRow | undefined; row: RecordRow | null }> {
    const kind = this.#kind
    return this.#scope.db.read(async (tx) => {
      const known = await storage.get(tx, this.#run.source, kind, uid)
      const row = known && (await recordStorage.get(tx, kind, { id: known.record }, 'no reader: write'))
      if (row !== undefined) return { known, row: row as RecordRow }
      const bare = Object.fromEntries(DETAILS[kind].map((name) => [name, null]))
      const named = { [kind]: plainText(asHtml(cell(kind))).trim(), ...bare }
      const found = await linkedStorage.findWith(tx, kind, visibilityOf(this.#scope.user), named)
      return { known: undefined, row: found ?? null }
    })
  }

  /** Fields of a row. What is wrong costs the field, not the row, unless it is the name. */
  async #payload(uid: string, line: number, cell: Cell): Promise<Payload> {
    const kind = this.#kind
    const fields: Fields = LINKED_FIELDS[kind]
    const payload: Payload = {}
    for (const [name, field] of Object.entries(fields)) {
      if (!this.#table.has(name) || ['image', 'author'].includes(name)) continue
      if (['slug', 'status', 'date', 'date_utc'].includes(name) && cell(name) === '') continue
      payload[name] = field.kind.type === 'boolean' ? flagText(cell(name)) : cell(name)
    }
    payload[kind] = asHtml(cell(kind))
    if (this.#table.has('website')) payload.website = addressText(cell('website')) ?? cell('website')
    if (kind === 'venue') Object.assign(payload, placeOf(this.#table, cell))
    const { description: _, ...short } = payload
    const { problems } = readFields(fields, short, { mode: 'update', reading: readingOf(this.#scope) })
    if (problems.geo_lat || problems.geo_lng) Object.assign(payload, { geo_lat: undefined, geo_lng: undefined })
    for (const [name, problem] of Object.entries(problems)) {
      if (name === kind) continue
      delete payload[name]
      this.#tell(uid, line, { problem: 'field_not_brought', name, details: { [name]: problem } })
    }
    return { ...payload, ...(await this.#image(uid, line, cell('image'))) }
  }

  async #image(uid: string, line: number, address: string): Promise<Payload> {
    if (address === '' || this.#run.dryRun) return {}
    const isAddress = /^https?:\/\//i.test(address)
    const image: number | Problem = isAddress ? await this.#images.bring(address) : { problem: 'not_a_url' }
    if (typeof image === 'number') return { image }
    this.#tell(uid, line, { problem: 'field_not_brought', name: 'image', details: { image } })
    return {}
  }

  /** What is wrong with a row of a dry run. */
  #problemOf(payload: Payload): Problem | null {
    const { description: _, ...short } = payload
    const { problems } = readFields(LINKED_FIELDS[this.#kind], short, {
      mode: 'create',
      reading: readingOf(this.#scope),
    })
    if (Object.keys(problems).length === 0) return null
    return imports.problemOf(new AppError('rest_invalid_param', { params: problems }))
  }

  #tell(uid: string, line: number, problem: Problem): void {
    imports.note(this.#run, { line, uid, problem }, false)
  }
}

/** The address of a venue in our fields: a second line is appended, and a region is a state in the United States alone. */
function placeOf(table: Table, cell: Cell): Payload {
  const place: Payload = {}
  if (table.has('address_2')) place.address = [cell('address'), cell('address_2')].filter(Boolean).join(' ')
  const isState = /^(us|usa|united states.*)$/i.test(cell('country'))
  if (table.has('region')) place[isState ? 'state' : 'province'] = cell('region')
  return place
}
