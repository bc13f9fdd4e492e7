type Tree = Map<string, Tree>

/** The parts of a response that `_fields` names: comma-separated paths, which reach into lists. */
export function sparse(body: unknown, fields: string): unknown {
  const tree: Tree = new Map()
  for (const path of fields.split(',')) {
    let node = tree
    for (const name of path.trim().split('.')) {
      if (name === '') break
      const next: Tree = node.get(name) ?? new Map()
      node.set(name, next)
      node = next
    }
  }
  return tree.size === 0 ? body : pick(body, tree)
}

/** An empty tree asks for all there is. */
function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, tree))
  const parts = Object.entries(value).filter(([name]) => tree.has(name))
  return Object.fromEntries(parts.map(([name, part]) => [name, pick(part, tree.get(name) ?? new Map())]))
}
