import type pg from 'pg'
import { rowMaker } from '../row-maker.ts'

/** A column that a statement returns: see RowDescription of the protocol. */
interface Column {
  readonly name: string
  readonly dataTypeID: number
}

/** Makes a row of the texts that the server sends. */
export type MakeRow = (texts: (string | null)[]) => object

/** How the rows of a statement are made. */
export function makerOf(columns: readonly Column[], types: pg.CustomTypesConfig): MakeRow {
  const make = rowMaker(columns.map(({ name }) => name))
  const parsers = columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown)
  return (texts) => {
    const values: unknown[] = texts
    for (let n = 0; n < texts.length; n++) {
      const text = texts[n]
      if (typeof text === 'string') values[n] = parsers[n]?.(text)
    }
    return make(values)
  }
}

/** A value as the protocol has it: text, bytes or null. */
function encode(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (['object', 'function', 'symbol'].includes(typeof value))
    throw new TypeError('a statement cannot have such a value')
  return String(value)
}

/** How a statement is sent. */
export interface Sending {
  /** Name by which the server knows it, if it has one. */
  readonly name?: string | undefined
  /** Set if nothing else may be sent with it. */
  readonly isAlone: boolean
  /** Set if it has no values, and may be several statements. */
  readonly isSimple?: boolean
  /** Set if nobody asks for its rows. */
  readonly isRowless?: boolean
}

/** A statement, and what it came to. */
export class Statement {
  readonly text: string
  readonly values: readonly (string | Buffer | null)[]
  readonly sending: Sending
  readonly #answered = Promise.withResolvers<Statement>()
  rows: object[] = []
  /** Such as `INSERT`. */
  command = ''
  rowCount = 0

  constructor(text: string, values: readonly unknown[], sending: Sending) {
    this.text = text
    this.values = values.map(encode)
    this.sending = sending
  }

  get answered(): Promise<Statement> {
    return this.#answered.promise
  }
  succeed(): void {
    this.#answered.resolve(this)
  }
  fail(error: unknown): void {
    this.#answered.reject(error)
  }
}
