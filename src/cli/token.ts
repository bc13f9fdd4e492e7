import { Command } from 'commander'
import { toWallClock } from '../calendar/zone.ts'
import * as users from '../domain/users.ts'
import { flag, onStore, say, sayTable, withSettings } from './options.ts'

export function tokenCommand(): Command {
  const command = new Command('token').description('Create, list and revoke tokens: passwords for programs.')
  withSettings(command.command('create <user>'), 'data')
    .description('Create a token and show it, once.')
    .addOption(flag('--name <name>', 'what it is for', 'KALENDS_TOKEN_NAME').default(''))
    .action(async (user: string, flags: { name: string }) => {
      say(await onStore({ ...flags }, (store) => users.createToken(store, user, flags.name)))
    })
  withSettings(command.command('list'), 'data')
    .description('List the tokens of all users, or of one.')
    .argument('[user]')
    .action(async (user: string | undefined, flags: Record<string, unknown>) => {
      const tokens = await onStore(flags, (store) => users.listTokens(store, user ?? null))
      sayTable(
        ['ID', 'USER', 'NAME', 'CREATED (UTC)'],
        tokens.map((token) => [String(token.id), token.userName, token.name, toWallClock(token.created_utc, 'UTC')]),
      )
    })
  withSettings(command.command('revoke <id>'), 'data')
    .description('Revoke a token.')
    .action(async (id: string, flags: Record<string, unknown>) => {
      await onStore(flags, (store) => users.revokeToken(store, Number(id)))
      say(`Revoked token ${id}.`)
    })
  return command
}
