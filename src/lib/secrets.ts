/** A path that may be that of an invitation, whose last part is a secret. */
const INVITATION = /invite|%/i
const SECRET = /(?<=\/)[\w-]{43}(?=[/?]|$)/g

/** Removes passwords and tokens from a URL, for the log. */
export function withoutSecrets(url: string): string {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const shown = INVITATION.test(path) ? path.replace(SECRET, '[hidden]') : path
  if (mark === -1) return shown
  if (!/%|password|token/i.test(url)) return `${shown}${url.slice(mark)}`
  const search = new URLSearchParams(url.slice(mark + 1))
  for (const name of [...search.keys()]) if (/^\s*(password|token)/i.test(name)) search.set(name, '[hidden]')
  return `${shown}?${search}`
}
