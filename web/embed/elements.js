/** @typedef {Node | string | null | false} Child */

/** An element with its attributes, listeners and children; texts are never markup. @param {string} tag @param {Record<string, unknown>} [props] @param {...Child} children */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, /** @type {EventListener} */ (value))
    else if (value !== false && value !== null) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== false))
  return element
}

/** @type {Record<string, string>} */
const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Titles and names come HTML-encoded; no parser of HTML ever sees them. @param {string} text */
export function decode(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? all
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

/** An address that is safe to link to. @param {unknown} address */
export function safeUrl(address) {
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : null
}

/** Grey places for what is being loaded. @param {number} count */
export function bones(count) {
  return make('div', { class: 'bones', 'aria-hidden': 'true' }, ...Array.from({ length: count }, () => make('div')))
}
