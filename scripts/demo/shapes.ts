import type { Chance } from './random.ts'

/** The size that posters are drawn in. */
export const WIDTH = 1200
export const HEIGHT = 800

/** A handful of colours that go together: `back` behind, `ink` against it, four between, and `paper` for light. */
export interface Palette {
  readonly back: string
  readonly ink: string
  readonly paper: string
  readonly tones: readonly [string, string, string, string]
  /** Whether `back` is darker than `ink`. */
  readonly isDark: boolean
}

export const PALETTES: readonly Palette[] = [
  {
    back: '#f3e9d6',
    ink: '#2b3a4a',
    paper: '#fffaf0',
    tones: ['#d5573b', '#f0ad57', '#83a598', '#32627a'],
    isDark: false,
  },
  {
    back: '#1f2a44',
    ink: '#f4e8cf',
    paper: '#fbf3e2',
    tones: ['#e07a4b', '#f2c57c', '#5b7f95', '#a9c7d0'],
    isDark: true,
  },
  {
    back: '#dce6da',
    ink: '#24483f',
    paper: '#fbfaf3',
    tones: ['#dd7358', '#f1c882', '#7fb097', '#3d7264'],
    isDark: false,
  },
  {
    back: '#f6ddd4',
    ink: '#43263a',
    paper: '#fff6f1',
    tones: ['#c8553d', '#f0a582', '#8d6a9f', '#3f5878'],
    isDark: false,
  },
  {
    back: '#cde0e3',
    ink: '#123f4d',
    paper: '#f8f5ec',
    tones: ['#e2672f', '#f6a94a', '#5d9aa3', '#1f6b7c'],
    isDark: false,
  },
  {
    back: '#35213f',
    ink: '#f8e3d0',
    paper: '#fdf1e6',
    tones: ['#ee6c55', '#f4ae62', '#8464ab', '#c2b5ea'],
    isDark: true,
  },
  {
    back: '#12332f',
    ink: '#f1ecd9',
    paper: '#f7f3e4',
    tones: ['#e9a15b', '#ecc86f', '#2f9486', '#94b98a'],
    isDark: true,
  },
  {
    back: '#f0c557',
    ink: '#2c2f45',
    paper: '#fff5da',
    tones: ['#e8694a', '#fbe3a1', '#4f8f78', '#35508a'],
    isDark: false,
  },
  {
    back: '#e6e1ea',
    ink: '#33304f',
    paper: '#fcfafd',
    tones: ['#d76a7b', '#f1be8f', '#7f93c4', '#4c5a96'],
    isDark: false,
  },
  {
    back: '#b8482f',
    ink: '#fbe9d0',
    paper: '#fff2df',
    tones: ['#f3b562', '#f6d7a7', '#5b2a2e', '#e07a4f'],
    isDark: true,
  },
]

export const round = (number: number) => Math.round(number * 10) / 10
export const circle = (x: number, y: number, r: number, fill: string, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="${fill}" ${more}/>`
export const ring = (x: number, y: number, r: number, stroke: string, width: number, more = '') =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="none" stroke="${stroke}" stroke-width="${round(width)}" ${more}/>`
export const rect = (x: number, y: number, w: number, h: number, fill: string, more = '') =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${fill}" ${more}/>`
export const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}" ${more}/>`
export const line = (d: string, stroke: string, width: number, more = '') =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`
export const polygon = (points: readonly (readonly [number, number])[], fill: string, more = '') =>
  `<polygon points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')}" fill="${fill}" ${more}/>`
export const group = (inside: string, transform: string, more = '') =>
  `<g transform="${transform}" ${more}>${inside}</g>`
export const turn = (inside: string, degrees: number, x: number, y: number) =>
  group(inside, `rotate(${round(degrees)} ${round(x)} ${round(y)})`)
export const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join('')

/** A circle cut in half: `facing` is where its round side points, in degrees, 0 for up. */
export const half = (x: number, y: number, r: number, fill: string, facing = 0) =>
  turn(path(`M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 0 1 ${round(2 * r)} 0z`, fill), facing, x, y)

/** A soft closed shape around a point, as scissors would cut it. */
export function blob(chance: Chance, x: number, y: number, r: number, fill: string): string {
  const count = 7
  const points = Array.from({ length: count }, (_, index) => {
    const angle = (index / count) * 2 * Math.PI
    const reach = r * (0.72 + chance.next() * 0.5)
    return [x + Math.cos(angle) * reach, y + Math.sin(angle) * reach] as const
  })
  return path(smooth(points, true), fill)
}

/** A line through points without corners. */
export function smooth(points: readonly (readonly [number, number])[], closed = false): string {
  const at = (index: number) =>
    points[closed ? (index + points.length) % points.length : Math.min(Math.max(index, 0), points.length - 1)] ?? [0, 0]
  const parts = [`M${round(at(0)[0])} ${round(at(0)[1])}`]
  for (let index = 0; index < points.length - (closed ? 0 : 1); index++) {
    const [before, from, to, after] = [at(index - 1), at(index), at(index + 1), at(index + 2)]
    const one = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6]
    const two = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6]
    parts.push(`C${[...one, ...two, ...to].map(round).join(' ')}`)
  }
  return parts.join('') + (closed ? 'z' : '')
}

/** Ground with a gentle upper edge, down to the bottom of the picture. */
export function hill(chance: Chance, y: number, swing: number, fill: string, steps = 5): string {
  const points = Array.from(
    { length: steps + 1 },
    (_, index) => [(index / steps) * (WIDTH + 80) - 40, y + (chance.next() - 0.5) * 2 * swing] as const,
  )
  return path(`${smooth(points)}L${WIDTH + 40} ${HEIGHT + 10}L-40 ${HEIGHT + 10}z`, fill)
}

/** A leaf from a point, as long as said, pointing up and then turned. */
export const leaf = (x: number, y: number, length: number, fill: string, degrees: number, fat = 0.28) =>
  turn(
    path(
      `M${round(x)} ${round(y)}c${round(-length * fat)} ${round(-length * 0.4)} ${round(-length * fat)} ${round(-length * 0.7)} 0 ${round(-length)}c${round(length * fat)} ${round(length * 0.3)} ${round(length * fat)} ${round(length * 0.6)} 0 ${round(length)}z`,
      fill,
    ),
    degrees,
    x,
    y,
  )
