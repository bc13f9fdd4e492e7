/** Characters that XML 1.0 forbids even when escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }

/** Escapes text for an XML element or attribute. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '')
    .replace(/[&<>"\r]/g, (sign) => ENTITY[sign] ?? sign)
}

/** Element on its own line. Without text it is empty; with null it is left out. */
export function element(name: string, text: string | null, attributes: Record<string, string> = {}): string {
  if (text === null) return ''
  const start = `${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${xmlText(value)}"`)
    .join('')}`
  return text === '' ? `<${start}/>\n` : `<${start}>${xmlText(text)}</${name}>\n`
}
