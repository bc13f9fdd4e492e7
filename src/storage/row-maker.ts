type RowMaker = (values: unknown[]) => object

/** By the column names of a statement, as they are in this thread, and as text. */
const ownMakers = new WeakMap<readonly string[], RowMaker>()
const makers = new Map<string, RowMaker>()
const MAX_MAKERS = 1000

/**
 * A function that makes objects of one shape from arrays of values: Node's own are dictionaries, which are slower to make, to
 * read and to copy. It is compiled: a loop over the names takes 20 times as long.
 */
export function rowMaker(names: readonly string[]): RowMaker {
  const known = ownMakers.get(names)
  if (known !== undefined) return known
  const members = names.map((name, n) => `${JSON.stringify(name)}:values[${n}]`).join()
  const maker = makers.get(members) ?? (new Function('values', `return {${members}}`) as RowMaker)
  if (makers.size >= MAX_MAKERS) makers.clear()
  makers.set(members, maker)
  ownMakers.set(names, maker)
  return maker
}
