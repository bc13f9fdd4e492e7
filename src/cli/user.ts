import { Command, type Option } from 'commander'
import { ROLES } from '../domain/access.ts'
import * as users from '../domain/users.ts'
import { flag, NO_ADMINISTRATOR, onStore, say, sayTable, withSettings } from './options.ts'

export function userCommand(): Command {
  const command = new Command('user').description('Add, list, change and remove users.')
  withSettings(command.command('add <name>'), 'data')
    .description('Add a user; without a password one is made and shown once.')
    .addOption(flag('--role <role>', `one of ${ROLES.join(', ')}`, 'KALENDS_ROLE').makeOptionMandatory())
    .addOption(flag('--email <address>', 'e-mail address', 'KALENDS_EMAIL').makeOptionMandatory())
    .addOption(passwordFlag())
    .action(add)
  withSettings(command.command('list'), 'data').description('List the users.').action(list)
  withSettings(command.command('role <name> <role>'), 'data')
    .description(`Change the role of a user: ${ROLES.join(', ')}.`)
    .action(role)
  withSettings(command.command('remove <name>'), 'data')
    .description('Remove a user and their tokens.')
    .addOption(flag('--reassign <name>', 'the user who becomes the author of their records', 'KALENDS_REASSIGN'))
    .action(remove)
  withSettings(command.command('passwd <name>'), 'data')
    .description('Set a password; without one it is made and shown once.')
    .addOption(passwordFlag())
    .addOption(flag('--revoke-tokens', 'end all tokens of the user, too', 'KALENDS_REVOKE_TOKENS'))
    .action(passwd)
  return command
}

function passwordFlag(): Option {
  return flag('--password <password>', 'at least 8 characters', 'KALENDS_PASSWORD')
}

interface Flags extends Record<string, unknown> {
  role: string
  email: string
  password?: string
  reassign?: string
  revokeTokens?: boolean
}

/** The password that was given, or a new one and the line that shows it. */
function choosePassword({ password }: Flags): { password: string; shown: string } {
  if (password !== undefined) return { password, shown: '' }
  const made = users.randomPassword()
  return { password: made, shown: `\n\n  password  ${made}\n` }
}

async function add(name: string, flags: Flags): Promise<void> {
  const { password, shown } = choosePassword(flags)
  const { id, isLacking } = await onStore(flags, async (store) => ({
    id: await users.create(store, { name, role: flags.role, email: flags.email, password }),
    isLacking: await users.lacksAdministrator(store),
  }))
  say(`Added ${flags.role} ${name}, user ${id}.${shown}`)
  if (isLacking) say(NO_ADMINISTRATOR)
}

async function role(name: string, given: string, flags: Flags): Promise<void> {
  await onStore(flags, (store) => users.setRole(store, name, given))
  say(`${name} is ${given} now.`)
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
  const { revoked, left } = await onStore(flags, (store) =>
    users.setPassword(store, name, password, flags.revokeTokens === true),
  )
  const ended = flags.revokeTokens ? ` Revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'}.` : ''
  const working = left === 0 ? '' : ` ${left} of their tokens still work: --revoke-tokens would end them.`
  say(`Changed the password of ${name}.${ended}${working}${shown}`)
}
