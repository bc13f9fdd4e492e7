import { html, type MarkupPart } from '../lib/markup.ts'
import type { MapFrame } from '../lib/mercator.ts'

/** Part of a map that is taken, in pixels. */
export interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** A name beside a round mark. */
export interface Named {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly radius: number
}

/** Height of a label and maximal width of a letter, in pixels. */
const NAME_HEIGHT = 20
const LETTER = 7.2
const MAX_LETTERS = 30

export function boxAround({ x, y, radius }: Pick<Named, 'x' | 'y' | 'radius'>): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
}

/** Label beside, below or above a mark, if there is room. It takes its room. */
export function label(frame: MapFrame, taken: Box[], { name: whole, x, y, radius }: Named, style: string): MarkupPart {
  const name = whole.length > MAX_LETTERS ? `${whole.slice(0, MAX_LETTERS - 1)}…` : whole
  const wide = name.length * LETTER
  const far = radius + 5
  const found = [
    { at: x + far, line: y, anchor: 'start', left: x + far },
    { at: x - far, line: y, anchor: 'end', left: x - far - wide },
    { at: x, line: y + far + NAME_HEIGHT / 2, anchor: 'middle', left: x - wide / 2 },
    { at: x, line: y - far - NAME_HEIGHT / 2, anchor: 'middle', left: x - wide / 2 },
  ].find(({ left, line }) => isFree(frame, taken, boxOf(left, line, wide)))
  if (found === undefined) return null
  taken.push(boxOf(found.left, found.line, wide))
  return html`<text class="${style}" x="${found.at}" y="${found.line}" dy=".34em" text-anchor="${found.anchor}" aria-hidden="true">${name}</text>
`
}

function boxOf(left: number, line: number, wide: number): Box {
  return { left, right: left + wide, top: line - NAME_HEIGHT / 2, bottom: line + NAME_HEIGHT / 2 }
}

function isFree({ width, height }: MapFrame, taken: readonly Box[], { left, right, top, bottom }: Box): boolean {
  if (left < 6 || right > width - 6 || top < 6 || bottom > height - 6) return false
  return taken.every((box) => right < box.left || left > box.right || bottom < box.top || top > box.bottom)
}
