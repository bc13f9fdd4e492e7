import { isLinkedKind } from '../schema/linked.ts'
import { getNames, type NamedKind } from '../storage/names.ts'
import { visibilityOf } from './access.ts'
import type { Scope } from './scope.ts'

/** Names of what the fields of entries refer to by id. */
export type NameOf = (kind: string, field: string, id: number) => string | null

/** Fields of an entry. */
interface Fields {
  readonly kind: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

/** What a field of ids refers to; null if it is no such field. */
function targetOf(kind: string, field: string): NamedKind | null {
  if (kind === 'event' && isLinkedKind(field)) return field
  if (field === 'categories' || field === 'tags') return 'term'
  if (field === 'parent') return kind === 'event' ? 'event' : 'term'
  if (field === 'author' || field === 'user') return 'user'
  return field === 'image' ? 'image' : null
}

/** Reads the names of everything that entries refer to. What is gone, or hidden from the reader, has none. */
export async function namesIn({ db, user }: Pick<Scope, 'db' | 'user'>, entries: readonly Fields[]): Promise<NameOf> {
  const wanted = new Map<NamedKind, Set<number>>()
  for (const { kind, before, after } of entries)
    for (const [field, value] of [...Object.entries(before ?? {}), ...Object.entries(after ?? {})]) {
      const target = targetOf(kind, field)
      if (target === null) continue
      const ids = wanted.get(target) ?? new Set()
      for (const id of Array.isArray(value) ? value : [value]) if (typeof id === 'number' && id > 0) ids.add(id)
      wanted.set(target, ids)
    }
  const names = new Map<string, string>()
  await db.readMany(async (tx) => {
    for (const [target, ids] of wanted)
      for (const [id, name] of await getNames(tx, target, [...ids], visibilityOf(user)))
        names.set(`${target} ${id}`, name)
  })
  return (kind, field, id) => {
    const target = targetOf(kind, field)
    return target === null ? null : (names.get(`${target} ${id}`) ?? null)
  }
}

/** Whether a field refers to others by id. */
export function isReference(kind: string, field: string): boolean {
  return targetOf(kind, field) !== null
}
