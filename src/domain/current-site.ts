import { readFields } from '../schema/field.ts'
import { type SettingValues, settingFields } from '../schema/settings.ts'
import type { Database } from '../storage/database.ts'
import { ALL_BUT, BY_NAME, LOGO_FILE, type SettingRow } from '../storage/settings.ts'
import { LogoFile } from './logo.ts'
import type { Site } from './scope.ts'

/** Settings that are kept in the database. Null and absent ones are not set. */
export type StoredSettings = Omit<SettingValues, 'logo'> & {
  readonly logo?: string | LogoFile
  /** Whether the calendar was set up, or nobody wants to. */
  readonly isSetUp: boolean
}

/** Prefix of the value of a logo that was uploaded. */
export const FILE_PREFIX = 'file:'
/** Name of the setting that says that the calendar was set up. */
export const SET_UP = 'set_up'

/**
 * The site with the settings of the database, which every node sees at once. They are read again when the version of the
 * data has changed, by one short query; as long as they are the same, so is the object.
 */
export class CurrentSite {
  readonly #db: Database
  readonly #build: (stored: StoredSettings) => Site
  #site: Site
  #version: string | null = null
  #rows = '[]'
  #reading: { readonly version: string; readonly site: Promise<Site> } | null = null

  constructor(db: Database, build: (stored: StoredSettings) => Site) {
    this.#db = db
    this.#build = build
    this.#site = build({ isSetUp: false })
  }

  /** The site as it was when it was last read. */
  get last(): Site {
    return this.#site
  }

  /** The site at a version of the data. */
  at(version: string): Site | Promise<Site> {
    if (version === this.#version) return this.#site
    // A change that is known is one of events.
    if (this.#version !== null && this.#db.changesBetween(this.#version, version) !== null) {
      this.#version = version
      return this.#site
    }
    if (this.#reading?.version === version) return this.#reading.site
    const rows = this.#db.lookUp(ALL_BUT, LOGO_FILE)
    const site = Array.isArray(rows) ? this.#take(version, rows) : rows.then((found) => this.#take(version, found))
    if (!(site instanceof Promise)) return site
    this.#reading = { version, site }
    return site.finally(() => {
      this.#reading = null
    })
  }

  /** The site as it is now. */
  async read(): Promise<Site> {
    return this.at(await this.#db.version())
  }

  #take(version: string, rows: readonly SettingRow[]): Site | Promise<Site> {
    const text = JSON.stringify(rows)
    if (text === this.#rows) {
      this.#version = version
      return this.#site
    }
    const keep = (logo: readonly SettingRow[]) => {
      this.#site = this.#build(storedSettings(rows, logo[0]?.value))
      this.#rows = text
      this.#version = version
      return this.#site
    }
    const hasFile = rows.some(({ name, value }) => name === 'logo' && value.startsWith(FILE_PREFIX))
    const logo = hasFile ? this.#db.lookUp(BY_NAME, LOGO_FILE) : []
    return Array.isArray(logo) ? keep(logo) : logo.then(keep)
  }
}

/** Values that cannot be read, such as a time zone that no longer exists, are as if they were not set. */
function storedSettings(rows: readonly SettingRow[], file: string | undefined): StoredSettings {
  const raw = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const { logo, ...texts } = raw
  const { logo: _, ...values } = readFields(settingFields, texts, { mode: 'update', reading: { today: '' } }).values
  const isFile = logo?.startsWith(FILE_PREFIX) === true
  const own =
    isFile && file !== undefined ? new LogoFile(logo.slice(FILE_PREFIX.length), Buffer.from(file, 'base64')) : null
  return {
    ...values,
    ...(own !== null ? { logo: own } : logo !== undefined && !isFile && { logo }),
    isSetUp: raw[SET_UP] === '1',
  }
}
