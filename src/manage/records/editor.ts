import type { Check, Payload, Scope } from '../../domain/scope.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError, type ErrorCode, type Problems } from '../../lib/errors.ts'
import type { Markup } from '../../lib/markup.ts'
import { type Compared, type Conflict, conflictsBetween, fingerprintOf } from '../conflict.ts'
import { type FormState, messageOf, problemsOf, typedValues } from '../form.ts'
import { SECTIONS, type Section, screenPage, sectionPath } from '../layout.ts'
import { done, MANAGE, type Screen, type StaffContext } from '../screen.ts'

/** What the form of a record shows. */
export interface RecordForm<Shown> extends FormState {
  /** Null for a new record. */
  readonly shown: Shown | null
  /** Revision and values that the form was opened with, for the next save. */
  readonly revision: string
  readonly fingerprint: string
  /** Fields that somebody else changed meanwhile; null if there was no conflict. */
  readonly conflicts: readonly Conflict[] | null
}

/** What an action did: the page to go to, and what that says. */
export interface Done {
  readonly path: string
  readonly notice: string
}

/** A kind of record: how it is read, shown in a form and saved. */
export interface RecordKindEditor<Shown> {
  readonly section: Section
  newTitle(context: StaffContext): string
  /** Gets a record that the user may edit. */
  load(context: StaffContext): Promise<Shown>
  idOf(shown: Shown): number
  titleOf(shown: Shown): string
  revisionOf(shown: Shown): string
  valuesOf(context: StaffContext, shown: Shown | null): Record<string, string>
  /** Names of the fields that two editors may both change. */
  readonly compared: readonly string[]
  payloadOf(fields: Readonly<Record<string, unknown>>, before: Shown | null): Record<string, unknown>
  create(scope: Scope, payload: Payload): Promise<Shown>
  update(scope: Scope, id: number, payload: Payload, check: Check<Shown>): Promise<Shown>
  form(context: StaffContext, form: RecordForm<Shown>): Promise<Markup>
  /** Beside the title of a record. */
  tools?(context: StaffContext, shown: Shown): Markup
  /** Actions besides saving. */
  readonly actions: Readonly<Record<string, (context: StaffContext, shown: Shown) => Promise<Done>>>
}

/** Fields that errors without parameters belong to. */
const FIELD_OF: Partial<Record<ErrorCode, string>> = { term_exists: 'name', duplicate_term_slug: 'slug' }

/** The screens of a new record and of an existing one. */
export function editorScreens<Shown>(kind: RecordKindEditor<Shown>): Screen[] {
  const editor = new Editor(kind)
  const path = sectionPath(kind.section).slice(MANAGE.length)
  const show = (context: StaffContext) => editor.show(context)
  const save = (context: StaffContext) => editor.save(context)
  const others = Object.entries(kind.actions).map(([name, work]) => [
    name,
    (context: StaffContext) => editor.act(context, work),
  ])
  const shared = { allows: SECTIONS[kind.section], upload: true, show } as const
  return [
    { ...shared, path: `${path}/new`, actions: { save } },
    {
      ...shared,
      path: `${path}/:id`,
      parameters: ['merge'],
      actions: { save, ...Object.fromEntries(others) },
    },
  ]
}

class Editor<Shown> {
  readonly #kind: RecordKindEditor<Shown>

  constructor(kind: RecordKindEditor<Shown>) {
    this.#kind = kind
  }

  async show(context: StaffContext): Promise<Answer> {
    return this.#page(context, this.#stored(context, await this.#load(context)))
  }

  async save(context: StaffContext): Promise<Answer> {
    const { call } = context
    const before = await this.#load(context)
    const fields = call.body()
    const payload = this.#kind.payloadOf(fields, before)
    const { revision = '' } = typedValues(fields)
    const check = (now: Shown): undefined => {
      if (revision !== '' && this.#kind.revisionOf(now) !== revision) throw new AppError('rest_precondition_failed')
    }
    try {
      const saved =
        before === null
          ? await this.#kind.create(call.scope, () => payload)
          : await this.#kind.update(call.scope, call.id, () => payload, check)
      return done(context, this.#pathOf(saved), before === null ? 'created' : 'saved')
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'rest_precondition_failed') return this.#conflict(context)
      if (error.status === 400) return this.#refused(context, before, error)
      throw error
    }
  }

  /** An action without fields of the record. */
  async act(context: StaffContext, work: RecordKindEditor<Shown>['actions'][string]): Promise<Answer> {
    const shown = await this.#kind.load(context)
    try {
      const { path, notice } = await work(context, shown)
      return done(context, path, notice)
    } catch (error) {
      if (!(error instanceof AppError) || error.status === 403) throw error
      const { into = '' } = typedValues(context.call.body())
      const form = this.#stored(context, shown)
      return this.#page(
        context,
        { ...form, values: { ...form.values, into }, problems: asProblems(context, error) },
        400,
      )
    }
  }

  async #load(context: StaffContext): Promise<Shown | null> {
    return Number.isNaN(context.call.id) ? null : this.#kind.load(context)
  }

  #pathOf(shown: Shown): string {
    return `${sectionPath(this.#kind.section)}/${this.#kind.idOf(shown)}`
  }

  #comparable(values: Readonly<Record<string, string>>): Compared {
    const named = this.#kind.compared.filter((name) => values[name] !== undefined)
    return Object.fromEntries(named.map((name) => [name, (values[name] ?? '').replaceAll('\r\n', '\n')]))
  }

  #stored(context: StaffContext, shown: Shown | null): RecordForm<Shown> {
    const values = this.#kind.valuesOf(context, shown)
    return {
      shown,
      values,
      problems: {},
      revision: shown === null ? '' : this.#kind.revisionOf(shown),
      fingerprint: shown === null ? '' : fingerprintOf(this.#comparable(values)),
      conflicts: null,
    }
  }

  /** The form again, with everything that was typed. */
  #refused(context: StaffContext, shown: Shown | null, error: AppError): Promise<Answer> {
    const typed = typedValues(context.call.body())
    const before = this.#stored(context, shown)
    const form: RecordForm<Shown> = {
      ...before,
      values: typed.flags === undefined ? { ...before.values, ...typed } : typed,
      problems: asProblems(context, error),
      revision: typed.revision ?? before.revision,
      fingerprint: typed.fingerprint ?? before.fingerprint,
    }
    return this.#page(context, form, 400)
  }

  async #conflict(context: StaffContext): Promise<Answer> {
    const typed = typedValues(context.call.body())
    const now = this.#stored(context, await this.#kind.load(context))
    const values = typed.flags === undefined ? { ...now.values, ...typed } : typed
    const stored = this.#comparable(now.values)
    const conflicts = conflictsBetween(stored, this.#comparable({ ...now.values, ...values }), typed.fingerprint ?? '')
    return this.#page(context, { ...now, values, conflicts }, 412)
  }

  async #page(context: StaffContext, form: RecordForm<Shown>, status?: number): Promise<Answer> {
    const { section } = this.#kind
    return screenPage(context, {
      section,
      title: form.shown === null ? this.#kind.newTitle(context) : this.#kind.titleOf(form.shown),
      ...(form.shown !== null && { tools: this.#kind.tools?.(context, form.shown) }),
      back: { path: sectionPath(section), words: context.t(`manage_screens.sections.${section}`) },
      main: await this.#kind.form(context, form),
      ...(status !== undefined && { status }),
    })
  }
}

/** Problems by field. An error without fields is told above the form. */
function asProblems(context: StaffContext, error: AppError): Problems {
  const problems = problemsOf(error)
  if (Object.keys(problems).length > 0) return problems
  return { [FIELD_OF[error.code] ?? 'do']: { problem: 'failed', message: messageOf(context, error) } }
}
