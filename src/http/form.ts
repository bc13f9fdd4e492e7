import { decodeForm } from '../lib/percent-encoding.ts'

/** Limit on nested brackets in a name. Deeper ones are one literal name. */
const MAX_DEPTH = 5

/** Limit on values of a repeated name. */
const MAX_VALUES = 5000

/** List indexes: whole numbers without leading zeros. */
const INDEX = /^(?:0|[1-9]\d{0,14})$/

/**
 * Everything sent under one name. Adding a pair takes constant time and every node is read once, so parsing is linear
 * in the length of the form.
 */
class Node {
  /** Values without a key: `a=1`, `a[]=1`. */
  readonly #values: unknown[] = []
  /** Child nodes by key, or the value itself if a key has only one. */
  #keyed: Map<string, unknown> | null = null
  /** The element that `a[][name]=` last appended. */
  #lastElement: Node | null = null
  #isList = false
  #hasNames = false
  #valueFirst = false

  /** Adds a value at a path. The empty name stands for `[]`. */
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

  /** `a[][x]=1&a[][y]=2` is one element with two fields. A repeated field starts another element. */
  #element(field: string): Node {
    if (this.#lastElement === null || this.#lastElement.#keyed?.has(field)) {
      this.#lastElement = new Node()
      this.#push(this.#lastElement)
    }
    return this.#lastElement
  }

  /**
   * Returns a text, a list or an object. A plain value besides named fields is a list item of its own:
   * `venue=3&venue[city]=Lyon`.
   */
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

  /** Keyed values as an object. */
  fields(): Record<string, unknown> {
    return Object.fromEntries([...(this.#keyed ?? [])].map(([name, value]) => [name, readNode(value)]))
  }
}

function readNode(value: unknown): unknown {
  return value instanceof Node ? value.read() : value
}

/** Values may be comma-separated lists, so repeated names are joined: `tags=a,b&tags=c`. */
function splitAll(values: readonly unknown[]): readonly unknown[] {
  const split: unknown[] = []
  for (const value of values) {
    if (typeof value !== 'string' || !value.includes(',')) split.push(value)
    else for (const part of value.split(',', MAX_VALUES)) split.push(part.trim())
    if (split.length >= MAX_VALUES) return values
  }
  return split
}

/**
 * Builds data from the pairs of a form. `name[]=` and `name[0]=` make lists, the latter in order of index;
 * `venue[city]=` makes objects; a repeated name makes a list. Names of Object.prototype are dropped.
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
  while (open !== -1 && path.length <= MAX_DEPTH) {
    const close = name.indexOf(']', open)
    if (close === -1) return path
    path.push(name.slice(open + 1, close))
    open = name.indexOf('[', close)
  }
  if (open !== -1) path.push(name.slice(open))
  return path
}

/** Decodes the pairs of a form or query string; null if there are more than `most`. */
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
