import { readFileSync } from 'node:fs'
import { decodeNumbers, LEVELS } from './base-map-format.ts'
import { clip, type Pixel, partsIn, pathOf } from './base-map-path.ts'
import type { Point } from './geo.ts'
import { once } from './lazy.ts'
import { type MapFrame, project, TILE, unproject } from './mercator.ts'

/** Map of the world from files of our own: see docs/decisions/base-map.md. */

const FOLDER = new URL('../../web/map/', import.meta.url)
const MAX_CITIES = 40
/** The finest level is for maps of at most so many degrees per pixel, the next for wider ones. */
const FINEST = 0.008
const MIDDLE = 0.1

/** Land and borders of a frame, as SVG paths in its pixels. */
export interface Outline {
  readonly land: string
  readonly borders: string
}

export interface City {
  readonly name: string
  /** Pixels of the frame. */
  readonly x: number
  readonly y: number
}

/** One line per cell, sorted by level, row and column. It is never split as a whole: that takes long. */
const land = once(() => ({ text: readFileSync(new URL('land.txt', FOLDER), 'latin1') }))

/** Land and borders of a cell, found by bisection; null for open sea. */
function cellOf(level: number, row: number, column: number): Outline | null {
  const { text } = land()
  let [from, to] = [0, text.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const start = middle === 0 ? 0 : text.lastIndexOf('\n', middle - 1) + 1
    const end = text.indexOf('\n', start)
    // Only the head of the line is split: the shapes are long.
    const [ofLevel, ofColumn, ofRow] = text
      .slice(start, start + 12)
      .split(' ', 3)
      .map(Number)
    const order = level - (ofLevel ?? 0) || row - (ofRow ?? 0) || column - (ofColumn ?? 0)
    if (order === 0) {
      const [, , , shapes = '', borders = ''] = text.slice(start, end).split(' ')
      return { land: shapes, borders }
    }
    if (order < 0) to = start
    else from = end + 1
  }
  return null
}

/** The largest first. */
const cities = once(() =>
  readFileSync(new URL('cities.txt', FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [lat = '', lng = '', ...name] = line.split(' ')
      return { lat: Number(lat), lng: Number(lng), name: name.join(' ') }
    }),
)

/** Land and borders of a frame. Only the cells that it touches are decoded. */
export function outlineOf(frame: MapFrame): Outline {
  const degrees = 360 / (TILE * 2 ** frame.zoom)
  const level = degrees < FINEST ? 2 : degrees < MIDDLE ? 1 : 0
  const { size, unit } = LEVELS[level]
  const { west, east, south, north } = boundsOf(frame)
  const around = 360 / size
  const outline = { land: '', borders: '' }
  for (let row = Math.max(0, cellAt(south + 90, size)); row <= cellAt(north + 90, size); row++) {
    for (let column = cellAt(west + 180, size); column <= cellAt(east + 180, size); column++) {
      const cell = cellOf(level, row, ((column % around) + around) % around)
      if (cell === null) continue
      const corner = { lng: column * size - 180, lat: row * size - 90 }
      for (const text of partsOf(cell.land))
        outline.land += pathOf(clip(frame, pixels(frame, text, corner, unit)), true)
      for (const text of partsOf(cell.borders))
        outline.borders += partsIn(frame, pixels(frame, text, corner, unit))
          .map((part) => pathOf(part, false))
          .join('')
    }
  }
  return outline
}

/** The largest cities of a frame, in order of their size. */
export function citiesIn(frame: MapFrame): City[] {
  const { west, east, south, north } = boundsOf(frame)
  const found: City[] = []
  for (const { lat, lng, name } of cities()) {
    if (lat < south || lat > north) continue
    for (const turn of [0, -360, 360]) {
      if (lng + turn < west || lng + turn > east) continue
      const { x, y } = project({ lat, lng: lng + turn }, frame.zoom)
      found.push({ name, x: Math.round(x - frame.left), y: Math.round(y - frame.top) })
    }
    if (found.length >= MAX_CITIES) break
  }
  return found
}

function boundsOf({ zoom, left, top, width, height }: MapFrame) {
  const northWest = unproject({ x: left, y: top }, zoom)
  const southEast = unproject({ x: left + width, y: top + height }, zoom)
  return { west: northWest.lng, north: northWest.lat, east: southEast.lng, south: southEast.lat }
}

function cellAt(degrees: number, size: number): number {
  return Math.floor(degrees / size)
}

function partsOf(text: string): string[] {
  return text === '' ? [] : text.split(',')
}

function pixels({ zoom, left, top }: MapFrame, text: string, corner: Point, unit: number): Pixel[] {
  const numbers = decodeNumbers(text)
  const points: Pixel[] = []
  let [lng, lat] = [0, 0]
  for (let n = 0; n + 1 < numbers.length; n += 2) {
    lng += numbers[n] ?? 0
    lat += numbers[n + 1] ?? 0
    const { x, y } = project({ lng: corner.lng + lng * unit, lat: corner.lat + lat * unit }, zoom)
    points.push([x - left, y - top])
  }
  return points
}
