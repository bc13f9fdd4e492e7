import { AppError, type Problem, type Problems, refuse } from '../lib/errors.ts'
import { encode, withoutTags } from '../lib/html.ts'
import { withLf } from '../lib/line-ends.ts'
import { type Picture, PictureRefused, readPicture } from '../lib/picture.ts'
import { Upload } from '../lib/upload.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import { readFields } from '../schema/field.ts'
import { senderFields } from '../schema/suggestion.ts'
import type { Tx } from '../storage/dialect.ts'
import { countedBytes } from '../storage/quotas.ts'
import * as storage from '../storage/suggestions.ts'
import { preview } from './event-editing.ts'
import * as events from './events.ts'
import * as formTokens from './form-tokens.ts'
import * as heldFiles from './held-files.ts'
import { readingOf } from './records.ts'
import type { Scope } from './scope.ts'
import { announce } from './suggestion-notices.ts'
import { suggester } from './suggestion-user.ts'

/** How old a form must be when it is sent, in milliseconds: with a proof of work, and without. */
const LEAST_AGE = { proved: 3000, plain: 10_000 } as const
/** Suggestions from one network in so many seconds. */
const MOST = 5
const WINDOW = 3600
/** Suggestions that wait for a review. */
const MOST_WAITING = 1000
/** Limits on texts, in characters. */
const MAX_DESCRIPTION = 10_000
const MAX_SENDER_NAME = 200

/** Pictures of strangers are decoded one after the other, so that staff never wait behind them. */
const pictures = new WorkQueue(1, 5)

/** A form of a stranger. */
export interface SentForm {
  readonly fields: Readonly<Record<string, unknown>>
  readonly language: string
}

/** Fields of the form that have text. Others that a stranger sends are ignored. */
export const TEXT_FIELDS = [
  'title',
  'start_date',
  'end_date',
  'venue',
  'address',
  'city',
  'description',
  'website',
  'cost',
  'categories',
  'sender_name',
  'sender_email',
] as const

/**
 * Takes a suggestion: a pending event, which reviewers see. Throws all problems at once, and 429 if too many came from
 * the same network. A picture is kept apart, and becomes an image when the event is approved.
 */
export async function create(scope: Scope, { fields, language }: SentForm): Promise<void> {
  if (!scope.site.suggest) throw new AppError('rest_no_route')
  const nonce = await checkForm(scope, fields)
  const network = await formTokens.fingerprint(scope, `network ${scope.sender?.network ?? 'unknown'}`)
  await scope.db.read((tx) => checkLimit(tx, scope, network))
  const sender = readSender(scope, fields)
  const problems: Problems = { ...sender.problems, ...textProblems(fields) }
  const picture = await readImage(fields.image_file ?? fields.image, problems)
  const user = await suggester(scope)
  const own: Scope = { ...scope, user, quotas: scope.quotas.withoutDrafts() }
  const payload = payloadOf(fields)
  if (picture !== null || Object.keys(problems).length > 0) await check(own, payload, problems)
  const file = picture === null ? null : await holdPicture(own, picture)
  try {
    await events.create(
      own,
      () => payload,
      async ({ row }, tx) => {
        await checkForAll(tx, scope, network, nonce)
        if (file !== null) await heldFiles.claim(tx, file)
        await storage.create(tx, {
          event: row.id,
          sender_name: sender.name,
          sender_email: sender.email,
          language,
          form: nonce,
          network,
          picture: file,
          picture_mime: picture?.mime ?? null,
          picture_bytes: picture?.full.bytes.length ?? 0,
          created_utc: scope.clock(),
        })
        await announce(tx, scope, row.id)
      },
    )
  } catch (error) {
    if (file !== null) await heldFiles.drop(scope, file)
    throw renamed(error)
  }
}

/** Reads the token of the form. Throws if it is not ours, too old, too young or used. Returns its nonce. */
async function checkForm(scope: Scope, { form, proof }: SentForm['fields']): Promise<string> {
  const token = await formTokens.read(scope, form)
  if (token === null || token.isExpired) throw refusedForm({ problem: 'form_expired' })
  if (await scope.db.read((tx) => storage.isUsed(tx, token.nonce))) throw refusedForm({ problem: 'form_used' })
  const least = formTokens.isProved(token.nonce, proof) ? LEAST_AGE.proved : LEAST_AGE.plain
  if (token.age < least)
    throw refusedForm({ problem: 'form_too_early', seconds: Math.ceil((least - token.age) / 1000) })
  return token.nonce
}

function refusedForm(problem: Problem): AppError {
  return new AppError('rest_invalid_param', { params: { form: problem } })
}

/** The same in the transaction, where nobody else can be faster. */
async function checkForAll(tx: Tx, scope: Scope, network: string, nonce: string): Promise<void> {
  await storage.lock(tx, network)
  await checkLimit(tx, scope, network)
  if (await storage.isUsed(tx, nonce)) throw refusedForm({ problem: 'form_used' })
  if ((await storage.countWaiting(tx)) >= MOST_WAITING) throw refusedForm({ problem: 'form_full' })
}

async function checkLimit(tx: Tx, { clock }: Scope, network: string): Promise<void> {
  const now = clock()
  const times = await storage.timesFrom(tx, network, now - WINDOW)
  const [earliest = now] = times.slice(-MOST)
  if (times.length < MOST) return
  const seconds = Math.max(1, earliest + WINDOW - now)
  throw new AppError('rest_too_many_requests', { headers: { 'retry-after': String(seconds) }, fill: { seconds } })
}

function readSender(scope: Scope, fields: SentForm['fields']): { name: string; email: string; problems: Problems } {
  const { sender_name, sender_email } = fields
  const { values, problems } = readFields(
    senderFields,
    { sender_name, sender_email },
    { mode: 'query', reading: readingOf(scope) },
  )
  const name = (values.sender_name ?? '').replace(/\s+/g, ' ')
  if (name.length > MAX_SENDER_NAME) problems.sender_name ??= { problem: 'too_long', longest: MAX_SENDER_NAME }
  return { name, email: values.sender_email ?? '', problems }
}

function textProblems({ description }: SentForm['fields']): Problems {
  const isLong = typeof description === 'string' && description.length > MAX_DESCRIPTION
  return isLong ? { description: { problem: 'too_long', longest: MAX_DESCRIPTION } } : {}
}

/** Decodes a picture, so that nothing else is kept. */
async function readImage(file: unknown, problems: Problems): Promise<Picture | null> {
  if (!(file instanceof Upload)) return null
  try {
    return await pictures.run(() => readPicture(file.bytes))
  } catch (error) {
    if (!(error instanceof PictureRefused)) throw error
    problems.image_file = { problem: error.problem }
    return null
  }
}

/** Throws all problems of the form, before anything is kept. */
async function check(scope: Scope, payload: Record<string, unknown>, problems: Problems): Promise<void> {
  try {
    await preview(scope, null, () => payload)
  } catch (error) {
    if (!(error instanceof AppError) || error.details.params === undefined) throw error
    refuse({ ...problems, ...(renamed(error) as AppError).details.params })
  }
  refuse(problems)
}

/** Pictures that wait take no more room than those of one author may. */
async function holdPicture(scope: Scope, { full, mime }: Picture): Promise<string> {
  const waiting = await scope.db.read((tx) => storage.pictureBytes(tx))
  scope.quotas.checkUploads(waiting + countedBytes(full.bytes.length))
  return heldFiles.hold(scope, full.bytes, mime)
}

/** Fields of the form as a request to the domain. */
function payloadOf(fields: SentForm['fields']): Record<string, unknown> {
  const text = (name: (typeof TEXT_FIELDS)[number]) => {
    const value = fields[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const place = { venue: text('venue'), address: text('address'), city: text('city') }
  const website = text('website')
  const known = Object.entries(place).filter(([, value]) => value !== '')
  const chosen = fields.categories ?? fields.category
  return {
    title: text('title'),
    start_date: text('start_date'),
    end_date: text('end_date') || text('start_date'),
    status: 'pending',
    description: paragraphs(text('description').slice(0, MAX_DESCRIPTION)),
    cost: text('cost'),
    website: website === '' || /^[a-z][a-z0-9+.-]*:/i.test(website) ? website : `https://${website}`,
    ...(known.length > 0 && {
      // An address alone is a venue, too.
      venue: [{ ...Object.fromEntries(known), venue: place.venue || place.address || place.city }],
    }),
    ...(chosen !== undefined && chosen !== '' && { categories: chosen }),
  }
}

const BREAK = /<(?:br|\/p|\/div|\/h[1-6]|\/li|\/tr|\/blockquote)\b[^<>]*>/gi

/** Text without any markup; empty lines separate paragraphs. */
function paragraphs(given: string): string {
  return encode(withoutTags(withLf(given).replace(BREAK, '\n\n')))
}

/** An event without an end ends at its start: a problem of the start is told once. */
function renamed(error: unknown): unknown {
  const params = error instanceof AppError ? error.details.params : undefined
  if (!(error instanceof AppError) || params?.end_date === undefined || params.start_date === undefined) return error
  const isSame = JSON.stringify(params.end_date) === JSON.stringify(params.start_date)
  const { end_date: _, ...others } = params
  return isSame ? new AppError(error.code, { ...error.details, params: others }) : error
}

/** Sender of an event, for reviewers; null if nobody suggested it. */
export async function senderOf({ db }: Pick<Scope, 'db'>, event: number): Promise<storage.SuggestionRow | null> {
  return (await db.read((tx) => storage.get(tx, event))) ?? null
}

/** Senders of events, by event. */
export async function sendersOf(
  { db }: Pick<Scope, 'db'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, storage.SuggestionRow>> {
  return db.read((tx) => storage.getAll(tx, ids))
}

export type { SuggestionRow } from '../storage/suggestions.ts'
