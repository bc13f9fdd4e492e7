import type { Tx } from '../storage/dialect.ts'
import type * as eventStorage from '../storage/events.ts'
import { add } from '../storage/jobs.ts'
import * as recordStorage from '../storage/records.ts'
import * as storage from '../storage/suggestions.ts'
import * as userStorage from '../storage/users.ts'
import { type Role, rightsOf } from './access.ts'
import type { JobKind } from './job-run.ts'
import * as mail from './mail.ts'
import type { Scope } from './scope.ts'

const KIND = 'announce-suggestion'
/** Limit on reviewers who are told. */
const MAX_REVIEWERS = 50

type Teller = Pick<Scope, 'db' | 'mail' | 'site'>

/** Tells reviewers of a suggestion, in the background. */
export async function announce(tx: Tx, scope: Pick<Scope, 'mail'>, event: number): Promise<void> {
  if (scope.mail !== null) await add(tx, { kind: KIND, key: String(event), payload: { event } })
}

/** The job that tells all editors and administrators, each in their own language. */
export function announcing(scope: Teller): JobKind {
  return { name: KIND, run: (payload) => tellReviewers(scope, (payload as { event: number }).event) }
}

async function tellReviewers(scope: Teller, event: number): Promise<void> {
  await scope.db.writeWithoutInvalidating(async (tx) => {
    const suggestion = await storage.get(tx, event)
    const row = await recordStorage.get(tx, 'event', { id: event }, 'no reader: job')
    if (suggestion === undefined || row === undefined || suggestion.outcome !== null) return
    const { sender_name, sender_email } = suggestion
    const fill = {
      title: String(row.title),
      start: startOf(row),
      sender: [sender_name, sender_email].filter(Boolean).join(', ') || '–',
      link: `${scope.site.home}/manage/events/${event}`,
    }
    const reviewers = (await userStorage.list(tx)).filter(
      ({ id, name, role, disabled_utc }) =>
        disabled_utc === null && rightsOf({ id, name, role: role as Role }).edit === 'all',
    )
    for (const { id, email, language } of reviewers.slice(0, MAX_REVIEWERS))
      await mail.send(tx, scope, {
        name: 'suggested',
        to: email,
        language: language ?? scope.site.languages[0] ?? 'en',
        fill,
        key: `suggested ${event} ${id}`,
        ...(sender_email !== '' && { replyTo: sender_email }),
      })
  })
}

/** Tells the sender of a suggestion what became of it, in the language of the form. */
export async function tellSender(tx: Tx, scope: Teller, suggestion: storage.SuggestionRow): Promise<void> {
  const { event, outcome, sender_email, sender_name, language, reason } = suggestion
  const row = await recordStorage.get(tx, 'event', { id: event }, 'no reader: job')
  if (outcome === null || sender_email === '' || row === undefined) return
  const name = outcome === 'rejected' && reason ? 'rejected_because' : outcome
  await mail.send(tx, scope, {
    name,
    to: sender_email,
    language,
    fill: {
      title: String(row.title),
      start: startOf(row),
      name: sender_name === '' ? '' : ` ${sender_name}`,
      reason: reason ?? '',
      link: `${scope.site.home}/${language}/event/${row.slug}/`,
    },
    key: `${outcome} ${event}`,
  })
}

/** Start of an event as `2031-06-10 19:00`. */
function startOf(row: object): string {
  return (row as eventStorage.EventRow).start_local.slice(0, 16)
}
