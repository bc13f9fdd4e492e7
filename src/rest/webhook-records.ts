import type { Scope } from '../domain/scope.ts'
import type { Sender } from '../domain/webhooks/outbox.ts'
import { MAIN_MOUNT } from '../http/endpoint.ts'
import { DEFAULT_LANGUAGE } from '../lib/texts.ts'
import { presented } from './routes/changes.ts'

/** Writes records for webhooks, as their own addresses show them to administrators. */
export function webhookSender(scope: Pick<Scope, 'clock' | 'site' | 'onDamage'>, baseUrl: string): Sender {
  const addresses = {
    home: baseUrl,
    pages: baseUrl,
    rest: `${baseUrl}${MAIN_MOUNT}`,
    host: new URL(baseUrl).hostname,
    language: DEFAULT_LANGUAGE,
  }
  return { scope, present: (record) => presented(record, addresses, scope.site) }
}
