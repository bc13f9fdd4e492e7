/** Cells of a row, by our names of columns. */
export type Cell = (name: string) => string

const YES = ['yes', 'y', 'on', 'x', 'wahr', 'ja', 'vrai', 'oui', 'verdadero', 'si', 'sí', 'ein', 'activé', 'activado']
const NO = ['no', 'n', 'off', 'falsch', 'nein', 'faux', 'non', 'falso', 'aus', 'désactivé', 'desactivado']

/** `true` or `false` for a word that means it; other text is unchanged, but in lower case. */
export function flagText(text: string): string {
  const word = text.slice(0, 100).toLowerCase()
  if (YES.includes(word)) return 'true'
  return NO.includes(word) ? 'false' : word === '1' ? 'true' : word === '0' ? 'false' : word
}

/** A web address, also one without `https://`; null if it is none, empty if there is none. */
export function addressText(text: string): string | null {
  if (text === '') return ''
  const address = /^[\w-]+(\.[\w-]+)+([/?#:]|$)/.test(text.slice(0, 300)) ? `https://${text}` : text
  const isAddress = address.length <= 2000 && /^https?:\/\/[^\s<>"]+$/i.test(address) && URL.canParse(address)
  return isAddress ? address : null
}

/** A cost with the currency of other columns, unless it names one itself. */
export function costText(cell: Cell): string {
  const cost = cell('cost')
  const unit = cell('currency_symbol') || cell('currency_code')
  if (unit === '' || unit.length > 10 || cost.length > 100 || !/\d/.test(cost) || /[\p{Sc}\p{L}]/u.test(cost))
    return cost
  const space = /\p{L}$/u.test(unit) ? ' ' : ''
  const isAfter = /^(suf|post|after|right)/i.test(cell('currency_position'))
  return isAfter ? `${cost}${/^\p{L}/u.test(unit) ? ' ' : ''}${unit}` : `${unit}${space}${cost}`
}
