import * as linkedRecords from '../../domain/linked-records.ts'
import { readingOf } from '../../domain/records.ts'
import type { Scope } from '../../domain/scope.ts'
import * as terms from '../../domain/terms.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { eventFields } from '../../schema/event.ts'
import { type Fields, readFields } from '../../schema/field.ts'
import { byLinkedKind, LINKED_FIELDS, LINKED_KINDS } from '../../schema/linked.ts'
import { categoryFields, type TermKind, tagFields } from '../../schema/term.ts'
import type { ImportKind } from '../../storage/imports.ts'
import * as storage from '../../storage/imports.ts'
import type { LinkedKind } from '../../storage/records.ts'
import * as termStorage from '../../storage/terms.ts'
import { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import { isRemote, type Remote, type SiteClient } from './site-client.ts'

type Payload = Record<string, unknown>

/** The fields of each kind that are taken over by their names; what they are linked to is found by its id there. */
const FIELDS: Record<TermKind | LinkedKind | 'event', Fields> = {
  category: categoryFields,
  tag: tagFields,
  ...LINKED_FIELDS,
  event: eventFields,
}

/** What has another meaning here, or is found by its id there. */
const APART = ['author', 'date', 'image', 'parent', ...LINKED_KINDS, 'categories', 'tags', 'password']

/** What WordPress says of a draft, which has no date of publication. */
const NO_DATE = /^0000-/

/** Brings the records of a site, each under the id that it has there. */
export class SiteRecords {
  readonly #brought: Record<string, number> = {}
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #images: ImportedImages
  readonly #authors = new Set<string>()

  constructor(scope: Scope, run: imports.ImportRun, client: Pick<SiteClient, 'file'>) {
    this.#scope = scope
    this.#run = run
    this.#images = new ImportedImages(scope, run, { fetchFile: (url) => client.file(url) })
  }

  /** How many of each kind were brought, new or changed. */
  get brought(): Record<string, number> {
    const { fetched } = this.#images
    return fetched === 0 ? this.#brought : { ...this.#brought, image: fetched }
  }

  /** Brings a category, tag, venue or organizer, unless it is here and has not changed; answers its id here. */
  async bring(kind: TermKind | LinkedKind, remote: Remote): Promise<number | null> {
    const { modified_utc, url: _, urls: __, count: ___, json_ld: ____, ...said } = remote
    const hash = imports.hashOf([modified_utc, said])
    const known = await this.#known(kind, remote.id)
    if (known?.hash === hash) return known.record
    try {
      const fields = await this.#fieldsOf(kind, remote)
      this.#brought[kind] = (this.#brought[kind] ?? 0) + 1
      if (this.#run.dryRun) return null
      const isTerm = kind === 'category' || kind === 'tag'
      const record = isTerm
        ? await this.#saveTerm(kind, fields, remote, known?.record ?? null)
        : await this.#saveLinked(kind, fields, known?.record ?? null)
      await this.#remember(kind, remote.id, record, hash)
      return record
    } catch (error) {
      this.#tell(kind, remote, imports.problemOf(error))
      return null
    }
  }

  /** Events of a page, ready to be stored. */
  async events(remotes: readonly Remote[]): Promise<imports.Item[]> {
    const uids = remotes.map((remote) => String(remote.id))
    const known = await this.#scope.db.read((tx) => storage.listEvents(tx, this.#run.source, uids, ['']))
    const hashes = new Map(known.map(({ uid, hash }) => [uid, hash]))
    const items: imports.Item[] = []
    for (const remote of remotes) {
      const { rest_url: _, url: __, json_ld: ___, ...said } = remote
      const hash = imports.hashOf(remote.modified_utc ? [remote.modified_utc, remote.status] : said)
      const changed = hashes.get(String(remote.id)) !== hash
      // Of an event with a password, only its title and dates are shown.
      if (remote.all_day === null && remote.featured === null)
        this.#tell('event', remote, { problem: 'site_protected' })
      else if (changed) items.push(await this.#eventItem(remote, hash, hashes.has(String(remote.id))))
      else items.push(this.#unchanged(remote, hash))
    }
    return items
  }

  #unchanged(remote: Remote, hash: string): imports.Item {
    return {
      uid: String(remote.id),
      part: '',
      parent: null,
      line: 0,
      hash,
      cancelled: false,
      fields: {},
      links: async () => ({}),
    }
  }

  async #eventItem(remote: Remote, hash: string, isHere: boolean): Promise<imports.Item> {
    const fields = await this.#fieldsOf('event', remote)
    this.#tellLeft(remote)
    // An event without a website answers its own address there.
    if (fields.website === remote.url) delete fields.website
    if (isHere && remote.image === false) fields.image = null
    const ids = async (kind: TermKind | LinkedKind, list: unknown) => {
      const found: number[] = []
      for (const one of [list ?? []].flat().filter(isRemote)) {
        const record = (await this.#known(kind, one.id))?.record ?? (await this.bring(kind, one))
        if (record !== null) found.push(record)
      }
      return found
    }
    const linked = byLinkedKind((): number[] => [])
    for (const kind of LINKED_KINDS) linked[kind] = await ids(kind, remote[kind])
    const links = {
      ...linked,
      categories: await ids('category', remote.categories),
      tags: await ids('tag', remote.tags),
    }
    // What lacks its image is looked at again next time.
    const whole = remote.image && fields.image === undefined ? `${hash}-` : hash
    return { ...this.#unchanged(remote, whole), fields, links: async () => links }
  }

  /** The fields of a record; those that cannot be taken are left out, and told of. */
  async #fieldsOf(kind: TermKind | LinkedKind | 'event', remote: Remote): Promise<Payload> {
    const fields = FIELDS[kind]
    const named = Object.keys(fields).filter((name) => !APART.includes(name) || name === kind)
    const payload: Payload = Object.fromEntries(
      named.filter((name) => remote[name] !== undefined).map((name) => [name, remote[name]]),
    )
    // One that was not given reads as the state or province.
    if (payload.stateprovince === payload.state || payload.stateprovince === payload.province)
      delete payload.stateprovince
    if (NO_DATE.test(String(payload.date_utc))) delete payload.date_utc
    // The calendar there sends it as it stands in a page.
    if (typeof payload.website === 'string') payload.website = payload.website.replace(/&(?:amp|#0?38);/g, '&')
    if (Array.isArray(payload.tickets))
      payload.tickets = payload.tickets.map((ticket) => (isRemote(ticket) ? { ...ticket, id: undefined } : ticket))
    const { problems } = readFields(fields, payload, { mode: 'update', reading: readingOf(this.#scope) })
    for (const [name, problem] of Object.entries(problems)) {
      if (fields[name]?.required) continue
      delete payload[name]
      // What is in a state that we do not know is not shown to everybody.
      if (name === 'status') payload.status = 'draft'
      this.#tell(kind, remote, { problem: 'field_not_brought', name, details: { [name]: problem } }, false)
    }
    const image = await this.#image(kind, remote)
    return image === null ? payload : { ...payload, image }
  }

  async #image(kind: string, remote: Remote): Promise<number | null> {
    const url = isRemote(remote.image) ? remote.image.url : null
    if (typeof url !== 'string' || this.#run.dryRun) return null
    const image = await this.#images.bring(url)
    if (typeof image === 'number') return image
    this.#tell(kind, remote, { problem: 'field_not_brought', name: 'image', details: { image } }, false)
    return null
  }

  /** What the interface there speaks of, but does not give, or what there is no place for here. */
  #tellLeft(remote: Remote): void {
    const { tickets, ticketed, custom_fields: custom, author } = remote
    if (tickets === undefined && (ticketed === true || isFull(ticketed)))
      this.#tell('event', remote, { problem: 'site_tickets' }, false)
    if (isFull(custom)) {
      const names = Object.values(custom).map((field) => String(isLabelled(field) ? field.label : ''))
      this.#tell('event', remote, { problem: 'site_custom_fields', names: names.join(', ').slice(0, 500) }, false)
    }
    if (author === undefined || this.#authors.has(String(author))) return
    this.#authors.add(String(author))
    imports.note(this.#run, { line: 0, uid: `author ${author}`, problem: { problem: 'site_author' } }, false)
  }

  /** A term that has the slug already is taken for this one, as is one of the same name in the same place. */
  async #saveTerm(kind: TermKind, fields: Payload, remote: Remote, record: number | null): Promise<number> {
    const parent = Number(remote.parent) > 0 ? (await this.#known('category', remote.parent))?.record : undefined
    const payload = { ...fields, ...(kind === 'category' && parent !== undefined && { parent }) }
    const slug = String(fields.slug ?? '')
    const id =
      record ??
      (await this.#scope.db.read((tx) => termStorage.find(tx, kind, slug, '', 'no reader: write')))?.id ??
      null
    try {
      if (id !== null) return (await terms.update(this.#scope, kind, id, () => payload)).id
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rest_term_invalid') throw error
    }
    try {
      return (await terms.create(this.#scope, kind, () => payload)).id
    } catch (error) {
      const same = error instanceof AppError && error.code === 'term_exists' ? error.details.data?.term_id : undefined
      if (typeof same === 'number') return same
      throw error
    }
  }

  async #saveLinked(kind: LinkedKind, fields: Payload, record: number | null): Promise<number> {
    try {
      if (record !== null) return (await linkedRecords.update(this.#scope, kind, { id: record }, () => fields)).row.id
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== `${kind}-not-found`) throw error
    }
    return (await linkedRecords.create(this.#scope, kind, () => fields)).row.id
  }

  #known(kind: ImportKind, uid: unknown) {
    return this.#scope.db.read((tx) => storage.get(tx, this.#run.source, kind, String(uid)))
  }

  async #remember(kind: ImportKind, uid: unknown, record: number, hash: string): Promise<void> {
    const { source } = this.#run
    const row = { source, kind, uid: String(uid), part: '', record, hash, imported_utc: this.#scope.clock() }
    await this.#scope.db.write((tx) => storage.putAll(tx, [row]))
  }

  #tell(kind: string, remote: Remote, problem: Problem, skip = true): void {
    imports.note(this.#run, { line: 0, uid: `${kind} ${remote.id}`, problem }, skip)
  }
}

/** A list or a record with something in it; an empty record is a list there. */
function isFull(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function isLabelled(value: unknown): value is { label: unknown } {
  return typeof value === 'object' && value !== null && 'label' in value
}
