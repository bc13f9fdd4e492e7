import { Command } from 'commander'
import { toWallClock } from '../calendar/zone.ts'
import * as users from '../domain/users.ts'
import { systemClock } from '../lib/clock.ts'
import { flag, onStore, say, sayTable, withSettings } from './options.ts'

export function tokenCommand(): Command {
  const command = new Command('token').description('Create, list and revoke tokens: passwords for programs.')
  withSettings(command.command('create <user>'), 'data')
    .description('Create a token and show it, once.')
    .addOption(flag('--name <name>', 'what it is for', 'KALENDS_TOKEN_NAME').default(''))
    .addOption(
      flag(
        '--expires <time>',
        'how long it works, such as 12h, 90d or 8w; without it, until revoked',
        'KALENDS_TOKEN_EXPIRES',
      ),
    )
    .action(async (user: string, flags: { name: string; expires?: string }) => {
      const lifetime = flags.expires === undefined ? null : users.readLifetime(flags.expires)
      say(await onStore({ ...flags }, (store) => users.createToken(store, user, flags.name, lifetime)))
    })
  withSettings(command.command('list'), 'data')
    .description('List the tokens of all users, or of one, with when they expire and were last used.')
    .argument('[user]')
    .action(async (user: string | undefined, flags: Record<string, unknown>) => {
      const tokens = await onStore(flags, (store) => users.listTokens(store, user ?? null))
      sayTable(
        ['ID', 'USER', 'NAME', 'CREATED (UTC)', 'EXPIRES (UTC)', 'LAST USED (UTC)'],
        tokens.map((token) => [
          String(token.id),
          token.userName,
          token.name,
          toWallClock(token.created_utc, 'UTC'),
          `${shown(token.expires_utc)}${users.isExpired(token, systemClock()) ? ' (expired)' : ''}`,
          shown(token.used_utc),
        ]),
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

function shown(instant: number | null): string {
  return instant === null ? 'never' : toWallClock(instant, 'UTC')
}
