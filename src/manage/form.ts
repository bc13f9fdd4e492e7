import type { AppError, Problems } from '../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { problemText } from '../lib/problem-text.ts'
import { text } from '../lib/texts.ts'
import type { Context } from '../pages/context.ts'
import type { StaffContext } from './screen.ts'

/** The part of a context that fields need. */
export type Words = Pick<Context, 't' | 'language'>

/** State of a form: what stands in its fields, and what was refused. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>
  readonly problems: Problems
}

/** A field of a form. Its label is the text `manage_screens.fields.<name>`, unless another is given. */
export interface FieldOptions {
  readonly name: string
  readonly label?: string
  readonly type?:
    | 'text'
    | 'url'
    | 'email'
    | 'datetime-local'
    | 'password'
    | 'number'
    | 'search'
    | 'file'
    | 'color'
    | 'date'
  readonly hint?: string
  readonly required?: boolean
  /** Further attributes of the input. */
  readonly attributes?: Markup
  /** Class of the whole field. */
  readonly class?: string
}

/** Label, input, hint and problem. The problem belongs to the input for screen readers. */
export function field(context: Words, form: FormState, options: FieldOptions): Markup {
  const { name, type = 'text', required, attributes } = options
  const value = type === 'file' || type === 'password' ? null : html` value="${form.values[name] ?? ''}"`
  const input = html`<input ${idOf(name)} type="${type}" name="${name}"${value}${marks(form, options)}${required && html` required`}${type === 'text' && html` dir="auto"`}${attributes}>`
  return frame(context, form, options, input)
}

export function textArea(context: Words, form: FormState, options: FieldOptions, rows: number): Markup {
  const { name, attributes } = options
  const input = html`<textarea ${idOf(name)} name="${name}" rows="${rows}" dir="auto"${marks(form, options)}${attributes}>
${form.values[name] ?? ''}</textarea>`
  return frame(context, form, options, input)
}

export function select(
  context: Words,
  form: FormState,
  options: FieldOptions,
  choices: readonly (readonly [value: string, words: string])[],
): Markup {
  const { name, attributes } = options
  const chosen = form.values[name] ?? ''
  const items = choices.map(
    ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  )
  const input = html`<select ${idOf(name)} name="${name}"${marks(form, options)}${attributes}>${items}</select>`
  return frame(context, form, options, input)
}

/** A checkbox with its label behind it. */
export function checkbox(context: Words, form: FormState, options: FieldOptions): Markup {
  const { name, attributes } = options
  const isOn = /^(1|true|yes|on)$/.test(form.values[name] ?? '')
  return html`<div class="check"><input ${idOf(name)} type="checkbox" name="${name}" value="1"${isOn && html` checked`}${marks(form, options)}${attributes}><label for="field-${name}">${labelOf(context, options)}</label>${below(context, form, options)}</div>`
}

/** Label and problem around an input of another kind. */
export function frame(context: Words, form: FormState, options: FieldOptions, input: Markup): Markup {
  const { name, class: kind = '', required } = options
  return html`<div class="field ${kind}"><label for="field-${name}">${labelOf(context, options)}${required && html` <span class="quiet">${context.t('manage_screens.required')}</span>`}</label>
${input}${below(context, form, options)}</div>`
}

function labelOf({ t }: Words, { name, label }: FieldOptions): string {
  return label ?? t(`manage_screens.fields.${name}`)
}

const idOf = (name: string) => html`id="field-${name}"`

/** Attributes of an input that was refused. The focus goes to the first of them in the page. */
export const INVALID: Markup = html` aria-invalid="true" autofocus`

/** Attributes that connect an input with its hint and its problem. */
export function marks({ problems }: FormState, { name, hint }: FieldOptions): MarkupPart {
  const described = [problems[name] && `problem-${name}`, hint && `hint-${name}`].filter(Boolean).join(' ')
  return html`${problems[name] && INVALID}${described !== '' && html` aria-describedby="${described}"`}`
}

function below({ language }: Words, { problems }: FormState, { name, hint }: FieldOptions): MarkupPart {
  const problem = problems[name]
  return html`${hint && html`<p class="hint" id="hint-${name}">${hint}</p>`}${problem && html`<p class="problem" id="problem-${name}">${problemText(language, problem)}</p>`}`
}

/** All problems above the form, each with a link to its field. The focus goes there if none of them is in a field. */
export function summary(context: Words, { problems }: FormState, known: readonly string[]): MarkupPart {
  const entries = Object.entries(problems)
  if (entries.length === 0) return null
  const { t, language } = context
  const line = ([name, problem]: (typeof entries)[number]) => {
    const words = html`${known.includes(name) ? t(`manage_screens.fields.${name}`) : name}: ${problemText(language, problem)}`
    return html`<li>${known.includes(name) ? html`<a href="#field-${name}">${words}</a>` : words}</li>`
  }
  const isInField = entries.some(([name]) => known.includes(name))
  return html`<div class="refused" role="alert" tabindex="-1"${!isInField && html` autofocus`}><h2>${t('manage_screens.refused')}</h2><ul>${entries.map(line)}</ul></div>`
}

/** Problems of an error, by field. An error without fields is rethrown, unless it is one of domain rules. */
export function problemsOf(error: AppError): Problems {
  return error.details.params ?? {}
}

/** The message of an error, as the REST interface has it. */
export function messageOf({ language }: Words, error: AppError): string {
  const names = Object.keys(error.details.params ?? {}).join(', ')
  return text(language, `errors.${error.code}`, { names, ...error.details.fill })
}

/** Begin of a form: every form sends the token of the session. */
export function formStart({ call, link }: StaffContext, path: string, attributes: Markup | null = null): Markup {
  return html`<form method="post" action="${link(path)}"${attributes}><input type="hidden" name="csrf" value="${call.session.csrf}">`
}

/** A secret that is shown once, to be copied. */
export function secretField({ t }: StaffContext, id: string, label: string, secret: string): Markup {
  return html`<div class="secret"><label for="${id}">${label}</label><input id="${id}" type="text" value="${secret}" readonly data-copy dir="ltr"><button class="button" type="button" data-done="${t('manage_screens.copied')}" hidden>${t('manage_screens.copy')}</button></div>`
}

/** A submit button. */
export function button(action: string, words: string, kind = '', attributes: MarkupPart = null): Markup {
  return html`<button class="button ${kind}" type="submit" name="do" value="${action}"${attributes}>${words}</button>`
}

/** Fields of a sent form as texts; others are left out. */
export function typedValues(
  fields: Readonly<Record<string, unknown>>,
  mostLetters = Number.POSITIVE_INFINITY,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
      const text = isList ? value.join(', ') : value
      return typeof text === 'string' ? [[name, text.slice(0, mostLetters)]] : []
    }),
  )
}

/** Shown by a script above a form that it has restored. */
export function restoredNote({ t }: StaffContext): Markup {
  return html`<template id="restored"><p class="notice" role="status">${t('manage_screens.editor.restored')} <button class="button" type="button">${t('manage_screens.editor.discard')}</button></p></template>`
}
