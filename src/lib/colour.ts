/** RGB colour, 0 to 255 each. Contrast follows WCAG 2.2. */
export type Colour = readonly [red: number, green: number, blue: number]

/** Minimum contrast of text, WCAG 2.2, 1.4.3. */
const MIN_CONTRAST = 4.5
const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

/** Parses `#rgb` or `#rrggbb`; null for anything else. */
export function parseColour(text: string): Colour | null {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(text)
  const long = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text)
  const digits = short ? short.slice(1).map((digit) => digit + digit) : long?.slice(1)
  if (digits === undefined) return null
  const [red = 0, green = 0, blue = 0] = digits.map((pair) => Number.parseInt(pair, 16))
  return [red, green, blue]
}

export function formatColour(colour: Colour): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

/** Contrast ratio of two colours, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Mixes `share` (0 to 1) of a colour into another. */
export function mix(colour: Colour, into: Colour, share: number): Colour {
  const part = (n: 0 | 1 | 2) => colour[n] * share + into[n] * (1 - share)
  return [part(0), part(1), part(2)]
}

/** Darkens or lightens a colour until it is readable on every background. */
export function readableOn(colour: Colour, backgrounds: readonly Colour[], minContrast = MIN_CONTRAST): Colour {
  const [background = WHITE] = backgrounds
  const target = luminance(background) > 0.18 ? BLACK : WHITE
  for (let share = 0; share < 1; share += 0.02) {
    const changed = rounded(mix(target, colour, share))
    if (backgrounds.every((one) => contrast(changed, one) >= minContrast)) return changed
  }
  return target
}

/** White or black, whichever has more contrast to a colour. */
export function textColourOn(colour: Colour): Colour {
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
