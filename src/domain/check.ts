import * as counts from '../storage/checks/counts.ts'
import { findBrokenLinks } from '../storage/checks/links.ts'
import { shownLinks } from '../storage/checks/shown-links.ts'
import * as words from '../storage/checks/words.ts'
import type { Database } from '../storage/database.ts'
import { dialectOf, type Tx } from '../storage/dialect.ts'
import { listHeld, listImages, listUnused } from '../storage/stored-files.ts'
import { filesOf, keyOf } from './image-files.ts'
import type { Scope } from './scope.ts'

/** Something that is not as it should be. */
export interface Finding {
  readonly text: string
  readonly isRepaired: boolean
}

/** One part of a check. */
export interface CheckPart {
  readonly name: string
  readonly findings: readonly Finding[]
  /** Why it was not checked, or what to do. */
  readonly note?: string
}

type Store = Pick<Scope, 'db' | 'files'>
type Part = (store: Store, repair: boolean) => Promise<Omit<CheckPart, 'name'>>

const PARTS: Record<string, Part> = {
  database: checkDatabase,
  'broken links': checkLinks,
  'counts of terms': checkCounts,
  'next ids': checkSequences,
  'word index': checkWords,
  'derived indexes': checkDerived,
  images: checkImages,
}

/** Checks what is stored, part by part. With `repair`, whatever can be derived is made again. */
export async function* check(store: Store, repair: boolean): AsyncGenerator<CheckPart> {
  for (const [name, part] of Object.entries(PARTS)) yield { name, ...(await part(store, repair)) }
}

async function checkDatabase({ db }: Store): Promise<Omit<CheckPart, 'name'>> {
  const damage = await db.inspect(true)
  if (damage === null) return { findings: [] }
  return { findings: [{ text: damage, isRepaired: false }], note: 'restore a backup with "kalends restore"' }
}

async function checkLinks({ db }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  const found = await db.readMany((tx) => findBrokenLinks(tx, false))
  if (!repair || found.length === 0) return { findings: found }
  return { findings: await db.writeMany((tx) => findBrokenLinks(tx, true)) }
}

async function checkCounts({ db }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  const wrong = await db.readMany(counts.findWrongCounts)
  if (repair && wrong.length > 0) await db.writeMany(counts.repairCounts)
  const findings = wrong.map(({ id, name, count, events }) => ({
    text: `the term ${id}, "${name}", has the count ${count}, and ${events} public events`,
    isRepaired: repair,
  }))
  return { findings }
}

async function checkSequences({ db }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  const low = await db.readMany(counts.findLowSequences)
  if (repair)
    for (const { sequence, highest } of low) await db.writeMany((tx) => counts.repairSequence(tx, sequence, highest))
  const findings = low.map(({ sequence, last, highest }) => ({
    text: `the next id of ${sequence} follows ${last}, and ${highest} is used`,
    isRepaired: repair,
  }))
  return { findings }
}

async function checkWords({ db }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  const events = await differing(db, repair, words.compareEvents, words.repairEvents)
  const findings = [...inText(events, 'events', repair)]
  for (const kind of words.NAMED_KINDS) {
    const names = await differing(
      db,
      repair,
      (tx, after) => words.compareNames(tx, kind, after),
      (tx, ids) => words.repairNames(tx, kind, ids),
    )
    findings.push(...inText(names, `${kind}s`, repair))
  }
  return { findings }
}

function inText(ids: readonly number[], name: string, isRepaired: boolean): Finding[] {
  if (ids.length === 0) return []
  const some = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ' …' : ''}`
  return [{ text: `${ids.length} ${name} have other words in the index than in their texts: ${some}`, isRepaired }]
}

async function differing(
  db: Database,
  repair: boolean,
  compare: (tx: Tx, after: number) => Promise<words.WordBatch>,
  mend: (tx: Tx, ids: readonly number[]) => Promise<void>,
): Promise<number[]> {
  const all: number[] = []
  for (let after: number | null = -1; after !== null; ) {
    const from: number = after
    const batch: words.WordBatch = await db.readMany((tx) => compare(tx, from))
    all.push(...batch.differing)
    if (repair && batch.differing.length > 0) await db.writeMany((tx) => mend(tx, batch.differing))
    after = batch.last
  }
  return all
}

async function checkDerived({ db }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  const indexes = await db.readMany(async (tx) => {
    const derived = [...dialectOf(tx).derived, shownLinks]
    return Promise.all(derived.map(async (index) => ({ index, wrong: await index.countWrong(tx) })))
  })
  const bad = indexes.filter(({ wrong }) => wrong > 0)
  if (repair) for (const { index } of bad) await db.writeMany((tx) => index.rebuild(tx))
  const findings = bad.map(({ index, wrong }) => ({
    text: `${wrong} rows are not, or wrongly, in the index of ${index.name}`,
    isRepaired: repair,
  }))
  return { findings }
}

/** Images per query. */
const BATCH = 500

async function checkImages({ db, files }: Store, repair: boolean): Promise<Omit<CheckPart, 'name'>> {
  // Listed before the rows are read: a file is listed as unused before it is written.
  const keys = await files.list()
  const findings: Finding[] = []
  const known = new Set(
    (await db.readMany(async (tx) => [...(await listHeld(tx)), ...(await listUnused(tx))])).map(keyOf),
  )
  for (let last = 0; ; ) {
    const after = last
    const rows = await db.readMany((tx) => listImages(tx, after, BATCH))
    for (const row of rows) {
      const all = filesOf(row)
      for (const { file } of all) known.add(keyOf(file))
      const missing: string[] = []
      for (const { file, filesize } of all) if ((await files.size(keyOf(file))) !== filesize) missing.push(file)
      if (missing.length > 0)
        findings.push({ text: `image ${row.id} lacks ${missing.join(', ')}, or has another length`, isRepaired: false })
    }
    if (rows.length < BATCH) break
    last = rows.at(-1)?.id ?? last
  }
  const lost = findings.length === 0 ? {} : { note: 'restore the files from a backup, or upload the images again' }
  if (keys === null) return { findings, note: 'files in a bucket that no row names are not looked for', ...lost }
  const orphans = keys.filter((key) => !known.has(key) && !known.has(key.replace(/\.part$/, '')))
  if (repair) for (const key of orphans) await files.remove(key)
  for (const key of orphans) findings.push({ text: `${key} belongs to no image`, isRepaired: repair })
  return { findings, ...lost }
}
