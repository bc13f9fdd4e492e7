import { isDeliverable, type Letter } from '../lib/mailer.ts'
import { text } from '../lib/texts.ts'
import type { Tx } from '../storage/dialect.ts'
import { add, listFailed } from '../storage/jobs.ts'
import type { JobKind } from './job-run.ts'
import type { Scope } from './scope.ts'

const KIND = 'send-mail'

/** A letter whose texts are `mail.<name>.subject` and `mail.<name>.text`. */
export interface Message {
  readonly name: string
  readonly to: string
  readonly language: string
  readonly fill: Readonly<Record<string, string>>
  readonly replyTo?: string
  /** Names the letter: the same is not sent twice while it waits. */
  readonly key?: string
}

/**
 * Sends a letter, in the background and in the transaction of the write that it tells of. Returns whether it will be
 * sent: not without a mail server, nor to an address that cannot exist.
 */
export async function send(tx: Tx, scope: Pick<Scope, 'mail' | 'site'>, message: Message): Promise<boolean> {
  const { to, key } = message
  if (scope.mail === null || !isDeliverable(to)) return false
  await add(tx, { kind: KIND, ...(key !== undefined && { key }), payload: letterOf(scope, message) })
  return true
}

function letterOf({ site }: Pick<Scope, 'site'>, { name, to, language, fill, replyTo }: Message): Letter {
  const filled = { site: site.name, ...fill }
  return {
    to,
    subject: text(language, `mail.${name}.subject`, filled),
    text: `${text(language, `mail.${name}.text`, filled)}\n\n-- \n${site.name}\n${site.home}\n`,
    ...(replyTo && { replyTo }),
  }
}

/** The job that sends letters. A server that is away is tried again for hours: see job-run.ts. */
export function mailing({ mail }: Pick<Scope, 'mail'>): JobKind {
  return { name: KIND, run: async (payload) => mail?.send(payload as Letter) }
}

/** Limit on failed letters that are told of. */
const MAX_FAILED = 100

/** Letters that could not be sent in the last 30 days, the latest first. */
export async function failedMail({ db }: Pick<Scope, 'db'>): Promise<{ to: string; error: string }[]> {
  const failed = await db.read((tx) => listFailed(tx, MAX_FAILED, KIND))
  return failed.map(({ payload, error }) => ({ to: (JSON.parse(payload) as Letter).to, error: error ?? '' }))
}
