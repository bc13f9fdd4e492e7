import { toWallClock } from '../../calendar/zone.ts'
import { mayEdit } from '../../domain/access.ts'
import { duplicate, preview, restore } from '../../domain/event-editing.ts'
import type { Event } from '../../domain/events.ts'
import * as events from '../../domain/events.ts'
import * as linked from '../../domain/linked-records.ts'
import { type Reach, reaching, SERIES_SCOPES } from '../../domain/series-reach.ts'
import { approve, reject } from '../../domain/suggestion-review.ts'
import { senderOf } from '../../domain/suggestions.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError, type Problems } from '../../lib/errors.ts'
import { html } from '../../lib/markup.ts'
import { eventPage } from '../../pages/event.ts'
import type { LinkedKind } from '../../schema/linked.ts'
import { versionsLink } from '../audit/versions.ts'
import { messageOf, problemsOf, typedValues } from '../form.ts'
import { SECTIONS, screenPage } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { conflictsOf } from './conflict.ts'
import { type EventForm, editorPath, eventForm } from './event-form.ts'
import { payloadOf, withoutUnchanged } from './event-payload.ts'
import { fingerprint, localInput, valuesOf } from './event-values.ts'
import { faultOf } from './repeat-values.ts'

const BACK = '/manage/events'

/** Gets the event of the screen, if the user may edit it. */
async function eventOf({ call }: StaffContext): Promise<Event | null> {
  if (Number.isNaN(call.id)) return null
  const event = await events.peek(call.scope, { id: call.id })
  if (!mayEdit(call.scope.user, event.row)) throw new AppError('rest_forbidden')
  return event
}

async function show(context: StaffContext): Promise<Answer> {
  const event = await eventOf(context)
  const values = event === null ? emptyValues(context) : valuesOf(context, event)
  return page(context, formOf(event, values))
}

function formOf(event: Event | null, values: Record<string, string>): EventForm {
  return {
    event,
    values,
    problems: {},
    revision: event === null ? '' : String(event.row.revision),
    fingerprint: event === null ? '' : fingerprint(values),
    conflicts: null,
  }
}

/** A new event begins in the next hour, for an hour. A day in the address is its day. */
function emptyValues({ call, now, rights }: StaffContext): Record<string, string> {
  const zone = call.scope.site.timezone
  const asked = call.search.get('start_date') ?? ''
  const hour = 3600
  const next = Math.ceil((call.scope.clock() + 1) / hour) * hour
  const start = /^\d{4}-\d{2}-\d{2}$/.test(asked) ? `${asked} 19:00` : toWallClock(next, zone)
  const end = /^\d{4}-\d{2}-\d{2}$/.test(asked) ? `${asked} 20:00` : toWallClock(next + hour, zone)
  return {
    start_date: localInput(start),
    end_date: localInput(end),
    timezone: zone,
    status: rights.publish ? 'publish' : 'pending',
    show_map: '1',
    show_map_link: '1',
    date: localInput(toWallClock(now, zone)),
  }
}

async function page(context: StaffContext, form: EventForm, status?: number): Promise<Answer> {
  const { t, call, rights } = context
  const isReviewer = form.event !== null && rights.edit === 'all'
  const suggestion = isReviewer ? await senderOf(call.scope, form.event.row.id) : null
  return screenPage(context, {
    section: 'events',
    title: form.event?.row.title ?? t('staff.new'),
    back: { path: BACK, words: t('manage_screens.sections.events') },
    ...(form.event !== null && { tools: versionsLink(context, 'event', form.event.row.id) }),
    main: eventForm(context, { ...form, suggestion }),
    ...(status !== undefined && { status }),
  })
}

/** The form again, with everything that was typed. */
function refused(context: StaffContext, event: Event | null, error: AppError): Promise<Answer> {
  const typed = typedFields(context)
  const { recurrence, ...others }: Problems = problemsOf(error)
  const problems: Problems = recurrence ? { ...others, ...Object.fromEntries([faultOf(typed, recurrence)]) } : others
  const form: EventForm = {
    event,
    values: { ...(event !== null && typed.flags === undefined ? valuesOf(context, event) : {}), ...typed },
    problems,
    revision: typed.revision ?? '',
    fingerprint: typed.fingerprint ?? '',
    conflicts: null,
  }
  return page(context, form, error.status === 404 ? 404 : 400)
}

/** Texts of the form, also of its rows of tickets. */
function typedFields({ call }: StaffContext): Record<string, string> {
  const fields = call.body()
  const rows = Array.isArray(fields.tickets) ? fields.tickets : []
  const nested = rows.flatMap((row, at) =>
    Object.entries(typedValues(row as Record<string, unknown>)).map(([name, value]) => [
      `tickets[${at}][${name}]`,
      value,
    ]),
  )
  return { ...typedValues(fields), ...Object.fromEntries(nested) }
}

/** The form as a request to the domain. */
function requestOf({ call }: StaffContext, before: Event | null): Promise<Record<string, unknown>> {
  const isKnown = async (kind: LinkedKind, title: string) =>
    (await linked.list(call.scope, kind, () => ({ title, per_page: 1 }))).total > 0
  return payloadOf(call.body(), before, call.scope.clock(), isKnown)
}

/** How far an action reaches in a series. */
function reachOf({ call }: StaffContext): Reach {
  const sent = call.body().scope
  return reaching(SERIES_SCOPES.find((scope) => scope === sent) ?? null)
}

/** What the form changes. An event of a series names only that: what it sends reaches others, too. */
function changesOf(
  context: StaffContext,
  before: Event | null,
  payload: Record<string, unknown>,
): Record<string, unknown> {
  if (before === null || before.series === null) return payload
  const stored = valuesOf(context, before)
  const typed = typedFields(context)
  return withoutUnchanged(payload, stored, typed)
}

async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  const before = await eventOf(context)
  const fields = call.body()
  const payload = changesOf(context, before, await requestOf(context, before))
  const opened = typeof fields.revision === 'string' ? fields.revision : ''
  try {
    // Without a time, the domain would publish it at once.
    if (payload.status === 'future' && !payload.date)
      throw new AppError('rest_missing_callback_param', { params: { date: { problem: 'missing' } } })
    if (before === null) {
      const made = await events.create(call.scope, () => payload)
      return done(context, editorPath(made), 'created')
    }
    const saved = await events.update(
      call.scope,
      { id: call.id },
      () => payload,
      ({ row }) => {
        if (opened !== '' && String(row.revision) !== opened) throw new AppError('rest_precondition_failed')
      },
      undefined,
      reachOf(context),
    )
    return done(context, editorPath(saved), 'saved')
  } catch (error) {
    return answerTo(context, before, error)
  }
}

async function answerTo(context: StaffContext, before: Event | null, error: unknown): Promise<Answer> {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'rest_precondition_failed') {
    const event = await eventOf(context)
    if (event === null) throw error
    const typed = typedFields(context)
    const stored = formOf(event, valuesOf(context, event))
    const conflicts = conflictsOf(context, event, typed, typed.fingerprint ?? '')
    return page(context, { ...stored, values: { ...typed }, conflicts }, 412)
  }
  if (error.status === 400) return refused(context, before, error)
  throw error
}

/** The page as visitors will see it. Nothing is saved. */
async function showPreview(context: StaffContext): Promise<Answer> {
  const { call, t } = context
  const before = await eventOf(context)
  const { recurrence, ...fields } = await requestOf(context, before)
  // The page of an event of a series is the same, however far a change reaches.
  const payload = before?.series ? fields : { ...fields, ...(recurrence !== undefined && { recurrence }) }
  try {
    const event = await preview(call.scope, before === null ? null : { id: call.id }, () => payload)
    const note = html`<p class="notice preview" role="status">${t('manage_screens.editor.preview_note')}</p>`
    const shown = await eventPage({ ...context, call: { ...call, session: null } }, { ...event, whole: true }, note)
    return { ...shown, secret: true }
  } catch (error) {
    return answerTo(context, before, error)
  }
}

/** An action without fields of the event. */
function simply(
  work: (context: StaffContext, event: Event) => Promise<{ readonly path: string; readonly notice: string }>,
): NonNullable<Screen['actions']>[string] {
  return async (context) => {
    const event = await eventOf(context)
    if (event === null) throw new AppError('rest-event-not-found')
    try {
      const { path, notice } = await work(context, event)
      return done(context, path, notice)
    } catch (error) {
      if (!(error instanceof AppError) || error.status === 403) throw error
      const message = { problem: 'failed', message: messageOf(context, error) }
      return page(context, { ...formOf(event, valuesOf(context, event)), problems: { do: message } }, 400)
    }
  }
}

export const eventEditor: Screen = {
  path: '/events/:id',
  allows: SECTIONS.events,
  upload: true,
  show,
  actions: {
    save,
    preview: showPreview,
    duplicate: simply(async ({ call }) => ({
      path: editorPath(await duplicate(call.scope, { id: call.id })),
      notice: 'duplicated',
    })),
    trash: simply(async (context) => {
      const { call } = context
      await events.remove(call.scope, { id: call.id }, () => ({}), null, reachOf(context))
      return { path: BACK, notice: 'trashed' }
    }),
    restore: simply(async (context) => ({
      path: editorPath(await restore(context.call.scope, { id: context.call.id }, reachOf(context))),
      notice: 'restored',
    })),
    delete: simply(async (context) => {
      const { call } = context
      await events.remove(call.scope, { id: call.id }, () => ({ force: true }), null, reachOf(context))
      return { path: `${BACK}?status=trash`, notice: 'deleted' }
    }),
    approve: simply(async ({ call }) => {
      await approve(call.scope, call.id)
      return { path: `${BACK}?status=pending`, notice: 'approved' }
    }),
    reject: simply(async ({ call }) => {
      await reject(call.scope, call.id, String(call.body().reason ?? ''))
      return { path: `${BACK}?status=pending`, notice: 'rejected' }
    }),
  },
}

export const newEvent: Screen = {
  path: '/events/new',
  allows: SECTIONS.events,
  parameters: ['start_date'],
  upload: true,
  show,
  actions: { save, preview: showPreview },
}
