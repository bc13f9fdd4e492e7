/** Removes passwords and tokens from a URL, for the log. */
export function withoutSecrets(url: string): string {
  const mark = url.indexOf('?')
  if (mark === -1 || !/%|password|token/i.test(url)) return url
  const search = new URLSearchParams(url.slice(mark + 1))
  for (const name of [...search.keys()]) if (/^\s*(password|token)/i.test(name)) search.set(name, '[hidden]')
  return `${url.slice(0, mark)}?${search}`
}
