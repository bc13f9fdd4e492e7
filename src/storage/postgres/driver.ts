import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely'
import type pg from 'pg'
import type { OnQuery } from '../prepared.ts'
import { PostgresConnection, type Shared } from './connection.ts'
import { StatementNames } from './statement-names.ts'

/** Kysely driver on a pool of `pg`. */
export class PostgresDriver implements Driver {
  readonly #open: () => Promise<pg.Pool>
  readonly #onQuery: OnQuery | undefined
  readonly #names = new StatementNames()
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>()
  #pool: pg.Pool | undefined

  constructor(open: () => Promise<pg.Pool>, onQuery: OnQuery | undefined) {
    this.#open = open
    this.#onQuery = onQuery
  }

  async init(): Promise<void> {
    this.#pool = await this.#open()
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#pool === undefined) throw new Error('the database is closed')
    const client = await this.#pool.connect()
    const known = this.#connections.get(client)
    if (known !== undefined) return known
    const { types } = this.#pool.options
    const shared: Shared = { names: this.#names, onQuery: this.#onQuery, types: types as pg.CustomTypesConfig }
    const connection = new PostgresConnection(client, shared)
    this.#connections.set(client, connection)
    return connection
  }
  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    connection.begin(settings)
  }
  commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.commit()
  }
  rollbackTransaction(connection: PostgresConnection): Promise<void> {
    return connection.rollback()
  }
  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release()
  }
  async destroy(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    await pool?.end()
  }
}
