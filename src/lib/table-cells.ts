/** Cells of CSV files for spreadsheets, written and parsed. */

/** Text that a spreadsheet would run as a formula, possibly after apostrophes. */
const FORMULA = /^'*[=+\-@\t\r]/

/**
 * Prevents formula injection: an apostrophe before a formula makes it text. Text that already begins with an apostrophe
 * and a formula gets another, so that `unprotectText` is the exact inverse.
 */
export function protectText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Inverse of `protectText`. Other text is unchanged. */
export function unprotectText(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/** Quotes a cell as in RFC 4180. */
export function quoteCell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Separator of names in one cell. */
export type Separator = ',' | '|'

/** Joins names in one cell. Names that contain the separator are quoted. */
export function joinNames(names: readonly string[], separator: Separator): string {
  const written = names.map((name) =>
    name.includes(separator) || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name,
  )
  return written.join(separator === ',' ? ', ' : ` ${separator} `)
}

/** A quoted or unquoted name and its separator. */
const ITEM = {
  ',': /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/,
  '|': /\s*(?:"((?:[^"]|"")*)"\s*(?=\||$)|([^|]*))(?:\||$)/,
} as const

/** Splits a cell into trimmed names. */
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
