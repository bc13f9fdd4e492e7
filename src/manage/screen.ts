import { type Rights, rightsOf } from '../domain/access.ts'
import { isCsrf, type Session } from '../domain/sessions.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { type Context, contextOf } from '../pages/context.ts'
import { redirectTo } from '../pages/redirect.ts'
import { signInPath } from '../pages/staff-bar.ts'
import { staleForm } from './stale-form.ts'

/** Context of a screen: its user is signed in. */
export interface StaffContext extends Context {
  readonly call: Context['call'] & Call & { readonly session: Session }
  readonly rights: Rights
}

/** A page of the staff. */
export interface Screen {
  /** Below `/manage`; empty for the overview. */
  readonly path: string
  /** Whether a user with these rights may open it. */
  readonly allows: (rights: Rights) => boolean
  /** Names of its query parameters, if it has any. */
  readonly parameters?: readonly string[]
  readonly upload?: true
  show(context: StaffContext): Promise<Answer>
  /** Answers to its submit buttons, by their value. The first is that of a form without one, sent by the Enter key. */
  readonly actions?: Readonly<Record<string, (context: StaffContext) => Promise<Answer>>>
}

/** Path of all screens below the base address. */
export const MANAGE = '/manage'

/** Route of a screen. Nobody is signed in: it leads to the form for that. */
export function screenView(screen: Screen): View {
  const path = `${MANAGE}${screen.path.replace(':id', ':id(^\\d+$)')}`
  return {
    path,
    methods: screen.actions === undefined ? ['GET'] : ['GET', 'POST'],
    parameters: screen.parameters ?? [],
    session: true,
    ...(screen.upload && { upload: true }),
    async handle(call) {
      const { session } = call
      const isPost = call.method === 'POST'
      if (session === null) {
        if (isPost && call.body().csrf !== undefined) return staleForm(contextOf(call), call.body())
        return redirectTo(contextOf(call).link(signInPath(call.path)), 303)
      }
      const rights = rightsOf(session.user)
      if (!screen.allows(rights)) throw new AppError('rest_forbidden')
      const context = staffContext(call, session)
      if (!isPost) return screen.show(context)
      const fields = call.body()
      if (!isCsrf(session, fields.csrf)) return staleForm(context, fields)
      return actionOf(screen, fields.do)(context)
    },
  }
}

function actionOf({ actions = {} }: Screen, name: unknown): (context: StaffContext) => Promise<Answer> {
  const asked = typeof name === 'string' && name !== '' ? name : Object.keys(actions)[0]
  const action = asked !== undefined && Object.hasOwn(actions, asked) ? actions[asked] : undefined
  if (action === undefined) {
    const allowed = Object.keys(actions).join(', ')
    throw new AppError('rest_invalid_param', { params: { do: { problem: 'not_one_of', allowed } } })
  }
  return action
}

/** The user's own language wins over that of the browser, not over that of the address. */
function staffContext(call: Call, session: Session): StaffContext {
  const isByAddress = call.addresses.pages !== call.addresses.home
  const language = (isByAddress ? null : session.language) ?? call.language
  const context = contextOf({ ...call, language })
  return { ...context, call: { ...call, ...context.call, language, session }, rights: rightsOf(session.user) }
}

/** Answer to an action that was done: the browser asks for a page, which says so. */
export function done({ link }: Context, path: string, notice?: string): Answer {
  const search = notice === undefined ? '' : `${path.includes('?') ? '&' : '?'}done=${notice}`
  return redirectTo(link(`${path}${search}`), 303)
}
