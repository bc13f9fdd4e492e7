import * as formTokens from '../domain/form-tokens.ts'
import * as suggestions from '../domain/suggestions.ts'
import * as terms from '../domain/terms.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError, type Problems } from '../lib/errors.ts'
import { html, type Markup } from '../lib/markup.ts'
import { problemText } from '../lib/problem-text.ts'
import { type Context, contextOf } from '../pages/context.ts'
import { icon } from '../pages/icons.ts'
import { answer, type Frame, PUBLIC } from '../pages/layout.ts'
import { redirectTo } from '../pages/redirect.ts'
import {
  type FieldOptions,
  type FormState,
  field,
  frame,
  INVALID,
  messageOf,
  select,
  summary,
  textArea,
  typedValues,
} from './form.ts'

const PATH = '/suggest'
/** Limit on categories to choose from. */
const MAX_CATEGORIES = 100
/** Limit on characters of a field that are shown again. The form allows no more. */
const MAX_SHOWN = 10_000

const FRAME: Frame = { ...PUBLIC, styles: ['manage.css'], scripts: ['pages.js', 'suggest.js'] }

/** The form on which people without an account suggest an event. */
async function suggest(call: Call): Promise<Answer> {
  const context = contextOf(call)
  if (!call.scope.site.suggest) throw new AppError('rest_no_route')
  if (call.method !== 'POST') return call.search.has('sent') ? thanks(context) : emptyForm(call, context)
  const fields = call.body()
  try {
    // Only machines fill the field that people do not see. They learn nothing.
    if (!isFilled(fields.company)) await suggestions.create(call.scope, { fields, language: context.language })
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 404) throw error
    return refused(call, context, fields, error)
  }
  return redirectTo(context.link(`${PATH}?sent=1`), 303)
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== ''
}

async function emptyForm(call: Call, context: Context): Promise<Answer> {
  const token = await formTokens.issue(call.scope)
  return page(context, await form(call, context, { values: {}, problems: {} }, token, null))
}

/** The form again, with everything that was typed. A token that is still good stays, so that nobody waits twice. */
async function refused(
  call: Call,
  context: Context,
  fields: Record<string, unknown>,
  error: AppError,
): Promise<Answer> {
  const { form: formProblem, ...problems }: Problems = error.details.params ?? {}
  const isSpent = ['form_expired', 'form_used'].includes(formProblem?.problem ?? '')
  const sent = typeof fields.form === 'string' && !isSpent ? fields.form : await formTokens.issue(call.scope)
  const isByField = error.details.params !== undefined && formProblem === undefined
  const message = isByField
    ? null
    : formProblem === undefined
      ? messageOf(context, error)
      : problemText(context.language, formProblem)
  const values = typedValues(fields, MAX_SHOWN)
  const shown = await form(call, context, { values, problems }, sent, message)
  const answered = page(context, shown, error.status === 403 ? 400 : error.status)
  return { ...answered, headers: { ...answered.headers, ...error.details.headers } }
}

function page(context: Context, main: Markup, status?: number): Answer {
  const { t } = context
  return answer(
    context,
    {
      title: t('suggest.title'),
      path: PATH,
      main: html`<div class="narrow suggest">${main}</div>`,
      secret: true,
      ...(status !== undefined && { status }),
    },
    FRAME,
  )
}

function thanks(context: Context): Answer {
  const { t, link } = context
  return page(
    context,
    html`<h1>${t('suggest.thanks')}</h1>
<p class="notice" role="status">${icon('check')}${t('suggest.thanks_text')}</p>
<p class="buttons"><a class="button primary" href="${link('/events/')}">${t('navigation.events')}</a><a class="button" href="${link(PATH)}">${t('suggest.another')}</a></p>`,
  )
}

/** Names of the fields, for links from the summary of problems. */
const FIELDS = [...suggestions.TEXT_FIELDS, 'image_file']

async function form(
  call: Call,
  context: Context,
  state: FormState,
  token: string,
  message: string | null,
): Promise<Markup> {
  const { t, link } = context
  const label = (name: string) => t(`suggest.fields.${name}`)
  const of = (name: string, more: Partial<FieldOptions> = {}): FieldOptions => ({ name, label: label(name), ...more })
  const input = (name: string, more: Partial<FieldOptions> = {}) => field(context, state, of(name, more))
  return html`<h1>${t('suggest.title')}</h1>
<p class="lead">${t('suggest.lead')}</p>
<form class="form" method="post" action="${link(PATH)}" enctype="multipart/form-data" data-proof="${formTokens.nonceOf(token)} ${formTokens.PROOF.parts} ${formTokens.PROOF.bits}" data-sending="${t('suggest.sending')}">
<input type="hidden" name="form" value="${token}"><input type="hidden" name="proof" value="">
${message !== null && html`<div class="refused" role="alert" tabindex="-1" autofocus><p>${message}</p></div>`}${summary({ ...context, t: labelled(context) }, state, FIELDS)}
<fieldset><legend>${label('what')}</legend>
${input('title', { required: true, attributes: html` maxlength="500" autocomplete="off"` })}
<div class="row">${input('start_date', { type: 'datetime-local', required: true })}${input('end_date', { type: 'datetime-local' })}</div></fieldset>
<fieldset><legend>${label('where')}</legend>
${input('venue', { attributes: html` maxlength="500" autocomplete="off"` })}
<div class="row">${input('address', { attributes: html` maxlength="500" autocomplete="off"` })}${input('city', { attributes: html` maxlength="500" autocomplete="off"` })}</div></fieldset>
<fieldset><legend>${label('about')}</legend>
${textArea(context, state, of('description', { attributes: html` maxlength="10000"` }), 6)}
<div class="row">${input('website', { attributes: html` inputmode="url" placeholder="https://" maxlength="2000" autocapitalize="none"` })}${input('cost', { hint: label('cost_hint'), attributes: html` maxlength="200"` })}</div>
${await categories(call, context, state, of('categories'))}
${frame(context, state, of('image_file', { hint: label(Object.keys(state.values).length === 0 ? 'image_hint' : 'image_again') }), html`<input id="field-image_file" type="file" name="image_file" accept="image/jpeg,image/png,image/gif,image/webp,image/avif" aria-describedby="hint-image_file${state.problems.image_file && ' problem-image_file'}"${state.problems.image_file && INVALID}>`)}</fieldset>
<fieldset><legend>${label('you')}</legend><p class="hint">${label('you_hint')}</p>
<div class="row">${input('sender_name', { attributes: html` maxlength="200" autocomplete="name"` })}${input('sender_email', { type: 'email', attributes: html` maxlength="254" autocomplete="email"` })}</div></fieldset>
<div class="trap" aria-hidden="true"><label for="field-company">${label('company')}</label><input id="field-company" name="company" tabindex="-1" autocomplete="off"></div>
<p class="buttons"><button class="button primary" type="submit">${t('suggest.send')}</button></p>
<p class="hint">${t('suggest.review')}</p>
</form>`
}

/** Fields have other names here than on the screens of the staff. */
function labelled({ t }: Context): Context['t'] {
  return (key, fill) => t(key.replace(/^manage_screens\.fields\./, 'suggest.fields.'), fill)
}

async function categories(call: Call, context: Context, state: FormState, options: FieldOptions): Promise<Markup> {
  const query = () => ({ hide_empty: false, per_page: MAX_CATEGORIES })
  const { rows } = await terms.list({ ...call.scope, user: null }, 'category', query)
  const choices = rows.map(({ id, name }) => [String(id), name] as const)
  return select(context, state, options, [['', context.t('suggest.none')], ...choices])
}

export const suggestViews: readonly View[] = [
  {
    path: PATH,
    methods: ['GET', 'POST'],
    parameters: ['sent'],
    session: true,
    upload: true,
    writes: true,
    handle: suggest,
  },
]
