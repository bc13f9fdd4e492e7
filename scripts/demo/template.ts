import { named, WORDS } from './content.ts'
import type { Random } from './random.ts'

/**
 * Fills a template: `{name}` becomes one of the words of that name, `{one|other}` one of these. Words may contain names
 * again. Names in `fixed` become what is given there. What the other names became is added to `chosen`.
 */
export function fillTemplate(
  template: string,
  random: Random,
  fixed: Readonly<Record<string, string>> = {},
  chosen: Record<string, string> = {},
): string {
  const fill = (text: string): string =>
    text.replace(/\{([^{}]*)\}/g, (_, inside: string) => {
      const known = fixed[inside]
      if (known !== undefined) return known
      if (inside.includes('|')) return random.pick(inside.split('|'))
      const word = fill(random.pick(named(WORDS, inside)))
      chosen[inside] = word
      return word
    })
  const text = fill(template)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
