import { type Problems, refuse } from '../lib/errors.ts'
import { Upload } from '../lib/upload.ts'
import { Refused, readFields } from '../schema/field.ts'
import { type SettingField, settingFields } from '../schema/settings.ts'
import * as storage from '../storage/settings.ts'
import { need, rightsOf } from './access.ts'
import { FILE_PREFIX, SET_UP } from './current-site.ts'
import { readLogo } from './logo.ts'
import type { Payload, Scope } from './scope.ts'

type Store = Pick<Scope, 'db' | 'site' | 'user'>

/**
 * Stores the named settings; empty ones are no longer set. A setting that a variable or flag of the process decides is left
 * as it is, as is a logo that is sent back by its own address, `ownLogo`.
 */
export async function update(
  scope: Store,
  payload: Payload,
  { ownLogo = '', isSetUp = false }: { readonly ownLogo?: string; readonly isSetUp?: boolean } = {},
): Promise<void> {
  const { db, site, user } = scope
  need(rightsOf(user).administer)
  const sent = payload()
  const open = Object.entries(sent).filter(([name]) => site.fixed[name as SettingField] === undefined)
  const raw = Object.fromEntries(open.filter(([name, value]) => name !== 'logo' || value !== ownLogo || value === ''))
  const { values, problems } = readFields(settingFields, raw, { mode: 'update', reading: { today: '' } })
  if (values.language && !site.languages.includes(values.language))
    problems.language = { problem: 'not_one_of', allowed: site.languages.join(', ') }
  const { logo, ...others } = values
  const logoRows = logo === undefined ? {} : await rowsOfLogo(logo, problems)
  refuse(problems)
  const texts = Object.entries(others).map(([name, value]) => [name, value === null ? null : String(value)])
  const setUp = isSetUp ? { [SET_UP]: '1' } : {}
  await db.write((tx) => storage.put(tx, { ...Object.fromEntries(texts), ...logoRows, ...setUp }))
}

async function rowsOfLogo(logo: string | Upload | null, problems: Problems): Promise<Record<string, string | null>> {
  if (!(logo instanceof Upload)) return { logo, [storage.LOGO_FILE]: null }
  try {
    const { name, bytes } = await readLogo(logo.bytes)
    return { logo: `${FILE_PREFIX}${name}`, [storage.LOGO_FILE]: bytes.toString('base64') }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    problems.logo = error.problem
    return {}
  }
}

/** Nobody is asked again to set the calendar up. */
export async function dismissSetup({ db, user }: Store): Promise<void> {
  need(rightsOf(user).administer)
  await db.write((tx) => storage.put(tx, { [SET_UP]: '1' }))
}
