/** Colours as red, green and blue from 0 to 255, and what WCAG 2.2 says of reading one on another. */
export type Colour = readonly [red: number, green: number, blue: number]

/** The least contrast of text, WCAG 2.2, 1.4.3. */
const READABLE = 4.5
const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

/** Reads `#rgb` or `#rrggbb`; null for anything else. */
export function readColour(text: string): Colour | null {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text)
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text)
  const digits = short ? short.slice(1).map((digit) => digit + digit) : long?.slice(1)
  if (digits === undefined) return null
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => Number.parseInt(pair, 16))
  return [red, green, blue]
}

export function writeColour(colour: Colour): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** So much of one colour in another, from 0 to 1. */
export function mix(colour: Colour, into: Colour, share: number): Colour {
  const part = (n: 0 | 1 | 2) => colour[n] * share + into[n] * (1 - share)
  return [part(0), part(1), part(2)]
}

/** The colour, made darker or lighter until text in it can be read on every one of the papers. */
export function readableOn(colour: Colour, papers: readonly Colour[], least = READABLE): Colour {
  const [paper = WHITE] = papers
  const away = luminance(paper) > 0.18 ? BLACK : WHITE
  for (let share = 0; share < 1; share += 0.02) {
    const changed = rounded(mix(away, colour, share))
    if (papers.every((one) => contrast(changed, one) >= least)) return changed
  }
  return away
}

/** White or black, whichever is easier to read on a colour. */
export function inkOn(colour: Colour): Colour {
  return contrast(WHITE, colour) >= contrast(BLACK, colour) ? WHITE : BLACK
}

function rounded([red, green, blue]: Colour): Colour {
  return [Math.round(red), Math.round(green), Math.round(blue)]
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
