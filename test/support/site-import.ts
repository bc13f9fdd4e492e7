import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/storage/database.ts'
import { finished, type Result, startKalends } from './processes.ts'
import type { Json } from './service.ts'

export { finished } from './processes.ts'

/** A new home for a site: a folder that the command line imports into. */
export class NewHome {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kalends-site-'))

  /** A home with a user to import as. */
  static async make(): Promise<NewHome> {
    const home = new NewHome()
    const db = openDatabase(home.#folder)
    await db.migrate()
    await db.close()
    await finished(home.#kalends(['user', 'add', 'ed', '--role', 'editor', '--email', 'e@example.org']))
    return home
  }

  /** Begins to import from an address. */
  start(address: string, args: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
    return this.#kalends(['import', address, '--user', 'ed', ...args], {
      KALENDS_FETCH_HOSTS: '127.0.0.1',
      KALENDS_SITE_PAUSE: '1',
      KALENDS_SITE_TIMEOUT: '1500',
      ...env,
    })
  }

  run(address: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Result> {
    return finished(this.start(address, args, env))
  }

  async rows(table: 'events' | 'venues' | 'organizers' | 'terms' | 'images' | 'tickets'): Promise<Json[]> {
    const db = openDatabase(this.#folder)
    const found = await db.read((tx) => tx.selectFrom(table).selectAll().orderBy('id').execute())
    await db.close()
    return found
  }

  close(): void {
    rmSync(this.#folder, { recursive: true })
  }

  #kalends(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    return startKalends([...args, '--data', this.#folder], env)
  }
}
