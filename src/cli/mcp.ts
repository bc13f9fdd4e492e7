import { Command } from 'commander'
import { serveAssistantFor } from '../app.ts'
import * as users from '../domain/users.ts'
import { openStore } from '../store.ts'
import { configOf, flag, withSettings } from './options.ts'
import { migrateFor } from './upgrade.ts'

/** Serves an assistant. Standard output belongs to the protocol, so nothing else is written there. */
export function mcpCommand(): Command {
  return withSettings(new Command('mcp'), 'data', 'baseUrl', 'timezone')
    .description('Serve an assistant by the Model Context Protocol, on standard input and output.')
    .addOption(
      flag('--user <name>', 'the user whose rights the assistant has', 'KALENDS_MCP_USER').makeOptionMandatory(),
    )
    .action(async (flags: { user: string } & Record<string, unknown>) => {
      const config = configOf(flags)
      const db = openStore(config)
      try {
        await migrateFor(db)
        const user = await users.named({ db }, flags.user)
        await serveAssistantFor(config, db, user)
      } finally {
        await db.close()
      }
    })
}
