import { decodeForm } from '../lib/percent-encoding.ts'

/** How deep brackets in a name are followed; what is deeper is one name. */
const DEEPEST = 5

/** How many values a name that is repeated may stand for. */
const MOST_VALUES = 5000

/** Keys of lists: whole numbers without leading zeros. */
const INDEX = /^(?:0|[1-9]\d{0,14})$/

/**
 * What was sent under a name. A pair is added in constant time and every node is read once, so a form costs as much as
 * it is long, whatever its names are.
 */
class Node {
  /** Values without a key: `a=1`, `a[]=1`. */
  readonly #values: unknown[] = []
  /** Nodes, or the only value that a key has. */
  #keyed: Map<string, unknown> | null = null
  /** The last element that `a[][name]=` has made. */
  #open: Node | null = null
  #isList = false
  #hasNames = false
  #valueFirst = false

  /** Adds a value at the end of a path; the empty name stands for `[]`. */
  add(path: readonly string[], at: number, value: unknown): void {
    const name = path[at]
    const isLast = at + 1 >= path.length
    if (name === undefined) this.#push(value)
    else if (name !== '') this.#set(name, path, at + 1, value)
    else {
      this.#isList = true
      if (isLast) this.#push(value)
      else this.#element(path[at + 1] ?? '').add(path, at + 1, value)
    }
  }

  #push(value: unknown): void {
    this.#valueFirst ||= this.#keyed === null
    this.#values.push(value)
  }

  #set(name: string, path: readonly string[], at: number, value: unknown): void {
    this.#keyed ??= new Map()
    const known = this.#keyed.get(name)
    if (known === undefined && !INDEX.test(name)) this.#hasNames = true
    if (known === undefined && at === path.length) {
      this.#keyed.set(name, value)
      return
    }
    const node = known instanceof Node ? known : new Node()
    if (node !== known) {
      if (known !== undefined) node.#push(known)
      this.#keyed.set(name, node)
    }
    node.add(path, at, value)
  }

  /** `a[][x]=1&a[][y]=2` is one element with two fields; a field that comes again begins another. */
  #element(field: string): Node {
    if (this.#open === null || this.#open.#keyed?.has(field)) {
      this.#open = new Node()
      this.#push(this.#open)
    }
    return this.#open
  }

  /** A text, a list or an object. A single value beside named fields is another item: `venue=3&venue[city]=Lyon`. */
  read(): unknown {
    const values = this.#values.map(readNode)
    if (!this.#hasNames) {
      const indexed = [...(this.#keyed ?? [])].sort(([one], [other]) => Number(one) - Number(other))
      if (this.#isList || indexed.length > 0) return [...indexed.map(([, value]) => readNode(value)), ...values]
      return values.length > 1 ? splitAll(values) : values[0]
    }
    const data = this.fields()
    if (values.length === 0) return data
    if (values.length === 1 && !this.#isList) return this.#valueFirst ? [values[0], data] : [data, values[0]]
    return { ...values, ...data }
  }

  /** What has a key, by its key. */
  fields(): Record<string, unknown> {
    return Object.fromEntries([...(this.#keyed ?? [])].map(([name, value]) => [name, readNode(value)]))
  }
}

function readNode(value: unknown): unknown {
  return value instanceof Node ? value.read() : value
}

/** A list may be text with commas, so a name that is repeated is several of these: `tags=a,b&tags=c`. */
function splitAll(values: readonly unknown[]): readonly unknown[] {
  const split: unknown[] = []
  for (const value of values) {
    if (typeof value !== 'string' || !value.includes(',')) split.push(value)
    else for (const part of value.split(',', MOST_VALUES)) split.push(part.trim())
    if (split.length >= MOST_VALUES) return values
  }
  return split
}

/**
 * The data that the names and values of a form stand for: `name[]=` makes lists, `name[0]=` too, in order of their
 * numbers, `venue[city]=` makes data, and a name that is repeated makes a list. Names that every object has are left out.
 */
export function fieldsOf(pairs: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> {
  const root = new Node()
  for (const [name, value] of pairs) {
    const path = pathOf(name)
    if (path[0] !== '' && !path.some((part) => part in Object.prototype)) root.add(path, 0, value)
  }
  return root.fields()
}

/** `a[b][]` is `a`, `b` and the empty name. */
function pathOf(name: string): string[] {
  let open = name.indexOf('[')
  if (open <= 0 || name.indexOf(']', open) === -1) return [name]
  const path = [name.slice(0, open)]
  while (open !== -1 && path.length <= DEEPEST) {
    const close = name.indexOf(']', open)
    if (close === -1) return path
    path.push(name.slice(open + 1, close))
    open = name.indexOf('[', close)
  }
  if (open !== -1) path.push(name.slice(open))
  return path
}

/** The pairs of a form or query string, decoded; null if they are more than `most`. */
export function pairsOf(text: string, most: number): (readonly [name: string, value: string])[] | null {
  const parts = text.split('&', most + 1)
  if (parts.length > most) return null
  return parts.map((part) => {
    const equals = part.indexOf('=')
    return equals === -1
      ? [decodeForm(part), '']
      : [decodeForm(part.slice(0, equals)), decodeForm(part.slice(equals + 1))]
  })
}
