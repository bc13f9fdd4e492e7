import { type Colour, formatColour, mix, parseColour, readableOn, textColourOn } from '../lib/colour.ts'

/** Background colours of page and raised parts, light and dark, as in web/pages.css. */
const DAY: readonly Colour[] = [
  [251, 250, 247],
  [255, 255, 255],
]
const NIGHT: readonly Colour[] = [
  [20, 22, 26],
  [29, 32, 38],
]

/** Stylesheet with colours derived from the accent, with sufficient contrast for any accent. */
export function themeOf(accent: string): string {
  const colour = parseColour(accent) ?? [47, 107, 70]
  return `:root{${variables(colour, DAY, 0.09)}}@media (prefers-color-scheme:dark){:root{${variables(colour, NIGHT, 0.18)}}}`
}

function variables(colour: Colour, papers: readonly Colour[], tint: number): string {
  const soft = papers.map((paper) => mix(colour, paper, tint))
  const accent = readableOn(colour, [...papers, ...soft])
  const [wash = accent] = soft
  return `--accent:${formatColour(accent)};--on-accent:${formatColour(textColourOn(accent))};--wash:${formatColour(wash)}`
}
