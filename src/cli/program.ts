import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { UserError } from '../domain/users.ts'
import { version } from '../lib/version.ts'
import { WorkerError } from './worker-pool.ts'

/** Loaders of the commands. Only the requested command is loaded; the help loads all. */
const COMMANDS = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['user', async () => (await import('./user.ts')).userCommand()],
  ['token', async () => (await import('./token.ts')).tokenCommand()],
  ['migrate', async () => (await import('./migrate.ts')).migrateCommand()],
  ['copy', async () => (await import('./copy.ts')).copyCommand()],
  ['backup', async () => (await import('./backup.ts')).backupCommand()],
  ['restore', async () => (await import('./restore.ts')).restoreCommand()],
  ['check', async () => (await import('./check.ts')).checkCommand()],
  ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
  ['audit', async () => (await import('./audit.ts')).auditCommand()],
  ['export', async () => (await import('./export.ts')).exportCommand()],
  ['mcp', async () => (await import('./mcp.ts')).mcpCommand()],
  ['import', async () => (await import('./import.ts')).importCommand()],
])

/** Runs a command. A failure prints one sentence and sets the exit code. */
export async function run(args: readonly string[]): Promise<void> {
  const program = new Command('kalends').description('An event-calendar service.').version(version())
  const asked = COMMANDS.get(args[0] ?? '')
  const isVersion = args[0] === '--version' || args[0] === '-V'
  for (const load of asked !== undefined ? [asked] : isVersion ? [] : COMMANDS.values())
    program.addCommand(await load())
  // The service has its own way with a log that nobody reads.
  if (args[0] !== 'serve') process.stdout.off('error', ignoreClosedPipe).on('error', ignoreClosedPipe)
  program.showHelpAfterError('(add --help for the usage)')
  try {
    throwOnExit(program)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode
    else if (error instanceof ConfigError || error instanceof UserError || error instanceof WorkerError)
      fail(error.message)
    else if (isSystemError(error)) fail(systemMessage(error))
    else throw error
  }
}

/** The reader may close the pipe early, as `head` does. What the command does is done all the same. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Makes commands throw instead of exiting the process, so that pending output is written. */
function throwOnExit(command: Command): void {
  command.exitOverride()
  command.commands.forEach(throwOnExit)
}

function fail(message: string): void {
  console.error(`kalends: ${message}`)
  process.exitCode = 1
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { address?: string; port?: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Message for an error of the operating system or the database. */
function systemMessage(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  if (error.code === 'EADDRINUSE')
    return `port ${error.port} is in use: stop the other program, or choose another port with --port`
  if (error.code === 'EACCES' && error.port !== undefined)
    return `port ${error.port} needs more rights: choose one above 1023 with --port`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${error.address ?? ''} to listen on: choose another with --host`
  if (error.code === 'ENOENT' && error.path !== undefined) return `there is no such file or folder: ${error.path}`
  if (error.cause instanceof Error) return systemMessage(error.cause)
  if (error.code === 'ERR_SQLITE_ERROR') return `the database cannot be used: ${error.message}`
  return error.message
}
