import { readdirSync, readFileSync } from 'node:fs'
import { once } from './lazy.ts'

/** Texts of one language, nested by key. */
type Texts = { readonly [key: string]: string | Texts }

const FOLDER = new URL('../../i18n/', import.meta.url)

/** Fallback for keys that another language lacks. */
export const DEFAULT_LANGUAGE = 'en'

/** Texts of each language, read on first use. */
const languages = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [
      file.slice(0, -'.json'.length),
      once(() => flatten(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))),
    ]),
)

/** Available languages. */
export const LANGUAGES: readonly string[] = [...languages.keys()].sort()

/** All text keys of a language. */
export function keysOf(language: string): string[] {
  return [...(languages.get(language)?.().keys() ?? [])]
}

/** Text of a key in a language, with `{name}` placeholders filled in. */
export function text(language: string, key: string, fill?: Fill): string {
  return filled(find(language, key), fill)
}

type Fill = Record<string, string | number>

/** Texts of a language below a key, by the rest of their keys. A page has hundreds of them: to join their keys takes longer than to find them. */
export function textsBelow(above: string, language: string): (key: string, fill?: Fill) => string {
  const name = `${language} ${above}`
  const known = below.get(name) ?? new Map<string, string>()
  below.set(name, known)
  return (key, fill) => {
    const found = known.get(key)
    if (found !== undefined) return filled(found, fill)
    const whole = `${above}.${key}`
    const words = find(language, whole)
    // Keys may come from requests: only those of texts are kept.
    if (words !== whole) known.set(key, words)
    return filled(words, fill)
  }
}

const below = new Map<string, Map<string, string>>()

function find(language: string, key: string): string {
  return languages.get(language)?.().get(key) ?? languages.get(DEFAULT_LANGUAGE)?.().get(key) ?? key
}

function filled(found: string, fill: Fill = {}): string {
  if (!found.includes('{')) return found
  return found.replace(/\{(\w+)\}/g, (whole, name) => String(fill[name] ?? whole))
}

/** Best available language for an `Accept-Language` header. */
export function chooseLanguage(header: string | undefined, offered: readonly string[] = LANGUAGES): string {
  if (!header) return offered[0] ?? DEFAULT_LANGUAGE
  const wanted = header
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
