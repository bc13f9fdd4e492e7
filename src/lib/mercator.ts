import type { Point } from './geo.ts'

/** Places on the square map that web tiles are cut from: pixels at a zoom, from the north-west corner of the world. */
export interface MapFrame {
  readonly zoom: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The side of a tile, in pixels. */
export const TILE = 256
/** The projection ends near the poles. */
const HIGHEST = 85.05112878
const CLOSEST = 16

/** Where a place lies on the whole world's map at a zoom. */
export function project({ lat, lng }: Point, zoom: number): { x: number; y: number } {
  const size = TILE * 2 ** zoom
  const sine = Math.sin((Math.max(-HIGHEST, Math.min(HIGHEST, lat)) * Math.PI) / 180)
  return { x: ((lng + 180) / 360) * size, y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size }
}

/** The room around places, in pixels. */
const ROOM = 56

/** The closest view of a width that shows every place, and is no higher than it has to be. Tiles come in whole zooms; paper does not. */
export function frameAround(
  places: readonly Point[],
  { width, least, most, whole }: { width: number; least: number; most: number; whole: boolean },
): MapFrame {
  const step = whole ? 1 : 0.05
  let zoom = CLOSEST
  while (zoom > 0) {
    const { right, left, bottom, top } = bounds(places, zoom)
    if (right - left <= width - 2 * ROOM && bottom - top <= most - 2 * ROOM) break
    zoom -= step
  }
  const { right, left, bottom, top } = bounds(places, Math.max(0, zoom))
  const height = Math.round(Math.min(most, Math.max(least, bottom - top + 2 * ROOM)))
  return {
    zoom: Math.max(0, zoom),
    width,
    height,
    left: Math.round((left + right - width) / 2),
    top: Math.round((top + bottom - height) / 2),
  }
}

/** The tiles that cover a view, and where in it each lies; the world goes on east and west, not north and south. */
export function tilesOf({
  zoom,
  left,
  top,
  width,
  height,
}: MapFrame): { z: number; x: number; y: number; at: [number, number] }[] {
  const count = 2 ** zoom
  const tiles: { z: number; x: number; y: number; at: [number, number] }[] = []
  for (let y = Math.floor(top / TILE); y * TILE < top + height; y++) {
    for (let x = Math.floor(left / TILE); x * TILE < left + width; x++) {
      if (y < 0 || y >= count) continue
      tiles.push({ z: zoom, x: ((x % count) + count) % count, y, at: [x * TILE - left, y * TILE - top] })
    }
  }
  return tiles
}

/** How many metres a pixel is in the middle of a view. */
export function metresPerPixel({ zoom, top, height }: MapFrame): number {
  const size = TILE * 2 ** zoom
  const share = 0.5 - (top + height / 2) / size
  const lat = 2 * Math.atan(Math.exp(share * 2 * Math.PI)) - Math.PI / 2
  return (40_075_016.686 * Math.cos(lat)) / size
}

function bounds(places: readonly Point[], zoom: number) {
  const points = places.map((place) => project(place, zoom))
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}
