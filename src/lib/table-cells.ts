/** Cells of tables that people open in spreadsheets, in both directions: what is written here is read here. */

/** What a spreadsheet would take for a formula, perhaps behind apostrophes. */
const FORMULA = /^'*[=+\-@\t\r]/

/**
 * A text that no spreadsheet runs: an apostrophe before what looks like a formula makes it text. One that begins with
 * an apostrophe and then a formula gets another, so that reading takes exactly one away.
 */
export function protectText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that was protected; any other stays as it is. */
export function unprotectText(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/** A cell of RFC 4180. */
export function quoteCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What stands between the names in one cell. */
export type Separator = ',' | '|'

/** Names in one cell; those that the separator would part are put between quotes. */
export function joinNames(names: readonly string[], separator: Separator): string {
  const written = names.map((name) =>
    name.includes(separator) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name,
  )
  return written.join(separator === ',' ? ', ' : ` ${separator} `)
}

/** A name with or without quotes, and what ends it. */
const ITEM = {
  ',': /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/,
  '|': /\s*(?:"((?:[^"]|"")*)"\s*(?=\||$)|([^|]*))(?:\||$)/,
} as const

/** The names in one cell, without the space around them. */
export function splitNames(cell: string, separator: Separator): string[] {
  const pattern = new RegExp(ITEM[separator], 'y')
  const names: string[] = []
  while (pattern.lastIndex < cell.length) {
    const found = pattern.exec(cell)
    if (found === null) break
    const [, quoted, plain = ''] = found
    const name = (quoted?.replaceAll('""', '"') ?? plain).trim()
    if (name !== '') names.push(name)
  }
  return names
}
