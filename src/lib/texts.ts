import { readdirSync, readFileSync } from 'node:fs'
import { once } from './lazy.ts'

/** The texts of one language, nested by key. */
type Texts = { readonly [key: string]: string | Texts }

const FOLDER = new URL('../../i18n/', import.meta.url)

/** The language of keys that another one lacks. */
export const DEFAULT_LANGUAGE = 'en'

/** The texts of each language, read when they are first asked for. */
const languages = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [
      file.slice(0, -'.json'.length),
      once(() => flatten(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))),
    ]),
)

/** The languages that there are texts in. */
export const LANGUAGES: readonly string[] = [...languages.keys()].sort()

/** Every key of a language's texts. */
export function keysOf(language: string): string[] {
  return [...(languages.get(language)?.().keys() ?? [])]
}

/** A text in a language, with `{name}` filled in. */
export function text(language: string, key: string, fill: Record<string, string | number> = {}): string {
  const found = languages.get(language)?.().get(key) ?? languages.get(DEFAULT_LANGUAGE)?.().get(key) ?? key
  return found.replace(/\{(\w+)\}/g, (whole, name) => String(fill[name] ?? whole))
}

/** The best of our languages for an `Accept-Language` header. */
export function chooseLanguage(header: string | undefined, offered: readonly string[] = LANGUAGES): string {
  const wanted = (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/\s*;\s*q=/)
      return { language: tag.toLowerCase().split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ language, quality }) => offered.includes(language) && quality > 0)
    .sort((one, other) => other.quality - one.quality)
  return wanted[0]?.language ?? offered[0] ?? DEFAULT_LANGUAGE
}

function flatten(texts: Texts, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>()
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') flat.set(prefix + key, value)
    else for (const [inner, innerText] of flatten(value, `${prefix}${key}.`)) flat.set(inner, innerText)
  }
  return flat
}
