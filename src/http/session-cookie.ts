import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../domain/scope.ts'
import { checkCsrf, find, SESSION_LIFETIME } from '../domain/sessions.ts'

/** Cookie of sessions. Over https its name has a prefix with which browsers accept it only from this host, encrypted. */
export function cookieName(home: string): string {
  return home.startsWith('https:') ? '__Host-kalends' : 'kalends'
}

/** Value of `Set-Cookie` for the secret of a session; null ends it. Scripts cannot read it, and foreign forms do not send it. */
export function sessionCookie(home: string, secret: string | null): string {
  const secure = home.startsWith('https:') ? '; Secure' : ''
  const lifetime = secret === null ? 0 : SESSION_LIFETIME
  return `${cookieName(home)}=${secret ?? ''}; Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax${secure}`
}

/** Whether a request may have a session. It costs little, as every request is asked. */
export function hasSession(cookies: string | undefined, home: string): boolean {
  return cookies?.includes(`${cookieName(home)}=`) === true
}

/** The secret in the `Cookie` header of a request; empty without one. */
export function secretIn(cookies: string | undefined, home: string): string {
  const name = `${cookieName(home)}=`
  const found = cookies?.split(';').find((pair) => pair.trim().startsWith(name))
  return found?.trim().slice(name.length) ?? ''
}

/**
 * Signs in by the cookie of a session. Pages always take it. The REST interface takes it only with the token of the session
 * in a header, which foreign pages do not have.
 */
export async function useSession(
  store: Pick<Scope, 'db' | 'clock'>,
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): Promise<void> {
  const { cookie, 'x-csrf-token': token } = request.headers
  const isPage = request.match?.route.session === true
  if (!hasSession(cookie, home) || !(isPage || token !== undefined)) return
  const secret = secretIn(cookie, home)
  const found = await find(store, secret)
  if (!isPage) checkCsrf(found?.session ?? null, token)
  if (found === null) return
  request.session = found.session
  request.user = found.session.user
  if (found.isRenewed) reply.header('set-cookie', sessionCookie(home, secret))
}
