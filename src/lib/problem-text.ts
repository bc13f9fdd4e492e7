import type { Problem, Problems } from './errors.ts'
import { text } from './texts.ts'

/** A day such as `2031-04-03` in words; other text is unchanged. */
function dayText(language: string, day: string): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN
  // The day comes first in each of our languages, but for American English.
  const locale = language === 'en' ? 'en-GB' : language
  return Number.isNaN(at) ? day : new Date(at).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' })
}

/** Message of a problem. Nested problems are joined, and a `day` is written in words. */
export function problemText(language: string, { problem, ...details }: Problem): string {
  const fill = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'object'
      ? problemList(language, value)
      : name === 'day'
        ? dayText(language, String(value))
        : value,
  ])
  return text(language, `problems.${problem}`, Object.fromEntries(fill))
}

/** Messages of problems, each with its parameter name. */
export function problemList(language: string, problems: Problems): string {
  return Object.entries(problems)
    .map(([name, problem]) => `${name}: ${problemText(language, problem)}`)
    .join(' ')
}
