import type { Chance } from './random.ts'

export type Words = Readonly<Record<string, readonly string[]>>

/**
 * Writes a text from a template: `{name}` stands for one of the words of that name, `{one|other}` for one of these, and
 * words may hold names again. Names in `fixed` stand for what is given there; what others came to is left in `named`.
 */
export function write(
  template: string,
  chance: Chance,
  words: Words,
  fixed: Readonly<Record<string, string>> = {},
  named: Record<string, string> = {},
): string {
  const fill = (text: string): string =>
    text.replace(/\{([^{}]*)\}/g, (_, inside: string) => {
      const known = fixed[inside]
      if (known !== undefined) return known
      if (inside.includes('|')) return chance.pick(inside.split('|'))
      const list = words[inside]
      if (list === undefined) throw new Error(`no words are called "${inside}" in "${template}"`)
      const word = fill(chance.pick(list))
      named[inside] = word
      return word
    })
  const text = fill(template)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
