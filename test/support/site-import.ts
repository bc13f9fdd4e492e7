import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/storage/database.ts'
import { runCommand } from './commands.ts'
import { type Result, startKalends } from './processes.ts'
import type { Json } from './service.ts'

export { finished } from './processes.ts'

/** A site on this machine may be asked without pauses. */
const HERE = { KALENDS_FETCH_HOSTS: '127.0.0.1', KALENDS_SITE_PAUSE: '1', KALENDS_SITE_TIMEOUT: '1500' }

/** A new home for a site: a folder that the command line imports into. */
export class NewHome {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kalends-site-'))

  /** A home with a user to import as. */
  static async make(): Promise<NewHome> {
    const home = new NewHome()
    const db = openDatabase(home.#folder)
    await db.migrate()
    await db.close()
    await runCommand(['user', 'add', 'ed', '--role', 'editor', '--email', 'e@example.org', '--data', home.#folder])
    return home
  }

  /** Begins to import from an address, in a process of its own. */
  start(address: string): ChildProcess {
    return startKalends(this.#import(address), HERE)
  }

  /** Imports from an address. */
  run(address: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Result> {
    return runCommand(this.#import(address, args), { ...HERE, ...env })
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

  #import(address: string, args: readonly string[] = []): string[] {
    return ['import', address, '--user', 'ed', ...args, '--data', this.#folder]
  }
}
