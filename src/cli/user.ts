import { Command } from 'commander'
import { ROLES } from '../domain/access.ts'
import * as users from '../domain/users.ts'
import { onStore, say, sayTable, withSettings } from './options.ts'

export function userCommand(): Command {
  const command = new Command('user').description('Add, list and remove users.')
  withSettings(command.command('add <name>'), 'data')
    .description('Add a user; without a password one is made and shown once.')
    .requiredOption('--role <role>', `one of ${ROLES.join(', ')}`)
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password <password>', 'at least 8 characters (env: KALENDS_PASSWORD)')
    .action(add)
  withSettings(command.command('list'), 'data').description('List the users.').action(list)
  withSettings(command.command('remove <name>'), 'data')
    .description('Remove a user and their tokens.')
    .option('--reassign <name>', 'the user who becomes the author of their records')
    .action(remove)
  withSettings(command.command('passwd <name>'), 'data')
    .description('Set a password; without one it is made and shown once.')
    .option('--password <password>', 'at least 8 characters (env: KALENDS_PASSWORD)')
    .action(passwd)
  return command
}

interface Flags extends Record<string, unknown> {
  role: string
  email: string
  password?: string
  reassign?: string
}

/** The password that was given, or a new one and the line that shows it. */
function choosePassword({ password = process.env.KALENDS_PASSWORD }: Flags): { password: string; shown: string } {
  if (password !== undefined) return { password, shown: '' }
  const made = users.randomPassword()
  return { password: made, shown: `\n\n  password  ${made}\n` }
}

async function add(name: string, flags: Flags): Promise<void> {
  const { password, shown } = choosePassword(flags)
  const id = await onStore(flags, (store) =>
    users.create(store, { name, role: flags.role, email: flags.email, password }),
  )
  say(`Added ${flags.role} ${name}, user ${id}.${shown}`)
}

async function list(flags: Flags): Promise<void> {
  const rows = await onStore(flags, (store) => users.list(store))
  sayTable(
    ['ID', 'NAME', 'ROLE', 'EMAIL'],
    rows.map((user) => [String(user.id), user.name, user.role, user.email]),
  )
}

async function remove(name: string, flags: Flags): Promise<void> {
  await onStore(flags, (store) => users.remove(store, name, flags.reassign ?? null))
  say(`Removed ${name}.`)
}

async function passwd(name: string, flags: Flags): Promise<void> {
  const { password, shown } = choosePassword(flags)
  await onStore(flags, (store) => users.setPassword(store, name, password))
  say(`Changed the password of ${name}.${shown}`)
}
