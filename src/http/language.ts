import { chooseLanguage } from '../lib/texts.ts'

/** Language prefix of an address, if it has one. */
export function languageIn(url: string, languages: readonly string[]): string | undefined {
  return languages.find((name) => url.startsWith(name, 1) && url[name.length + 1] === '/')
}

/** Chooses the best language for `Accept-Language`. Caches the choice: browsers send few distinct headers. */
export function languageChooser(offered: () => readonly string[]): (header: string | undefined) => string {
  const chosen = new Map<string, string>()
  let languages = offered()
  return (header = '') => {
    if (languages !== offered()) {
      languages = offered()
      chosen.clear()
    }
    const known = chosen.get(header)
    if (known !== undefined) return known
    const language = chooseLanguage(header, languages)
    if (chosen.size < 1000) chosen.set(header, language)
    return language
  }
}
