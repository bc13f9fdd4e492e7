import { willSet } from './audit/tracker.ts'
import type { Tx } from './dialect.ts'
import type { Lookup } from './lookup.ts'

/** Name of the row with the bytes of the logo, which is read only when the logo has changed. */
export const LOGO_FILE = 'logo_file'

export interface SettingRow {
  readonly name: string
  readonly value: string
}

/** All settings but one. */
export const ALL_BUT: Lookup<SettingRow> = {
  build: (db, name) => db.selectFrom('settings').selectAll().where('name', '!=', name).orderBy('name'),
}

/** One setting. */
export const BY_NAME: Lookup<SettingRow> = {
  build: (db, name) => db.selectFrom('settings').selectAll().where('name', '=', name),
}

/** Stores settings; null removes one. */
export async function put(tx: Tx, settings: Readonly<Record<string, string | null>>): Promise<void> {
  // The name of a logo says which one it is.
  await willSet(
    tx,
    Object.keys(settings).filter((name) => name !== LOGO_FILE),
  )
  for (const [name, value] of Object.entries(settings)) {
    await tx.deleteFrom('settings').where('name', '=', name).execute()
    if (value !== null) await tx.insertInto('settings').values({ name, value }).execute()
  }
}

export async function get(tx: Tx, name: string): Promise<string | null> {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}
