import type { Problem, Problems } from './errors.ts'
import { text } from './texts.ts'

/** Message of a problem. Nested problems are joined. */
export function problemText(language: string, { problem, ...details }: Problem): string {
  const fill = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'object' ? problemList(language, value) : value,
  ])
  return text(language, `problems.${problem}`, Object.fromEntries(fill))
}

/** Messages of problems, each with its parameter name. */
export function problemList(language: string, problems: Problems): string {
  return Object.entries(problems)
    .map(([name, problem]) => `${name}: ${problemText(language, problem)}`)
    .join(' ')
}
