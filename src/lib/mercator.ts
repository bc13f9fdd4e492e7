import type { Point } from './geo.ts'

/** A section of the Web Mercator map, in pixels at a zoom level, from the north-west corner of the world. */
export interface MapFrame {
  readonly zoom: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Side of a tile, in pixels. */
export const TILE = 256
/** Latitude limit of the projection, in degrees. */
const MAX_LATITUDE = 85.05112878
const MAX_ZOOM = 16
/** Zoom limit of drawn maps: some forty kilometres on a map of events, so that it shows more than land. */
const MAX_DRAWN_ZOOM = 11

/** Projects a point to pixels of the world map at a zoom level. */
export function project({ lat, lng }: Point, zoom: number): { x: number; y: number } {
  const size = TILE * 2 ** zoom
  const sine = Math.sin((Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180)
  return { x: ((lng + 180) / 360) * size, y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size }
}

/** The point at pixels of the world map. Beyond its edges, longitudes go on. */
export function unproject({ x, y }: { x: number; y: number }, zoom: number): Point {
  const size = TILE * 2 ** zoom
  const lat = 2 * Math.atan(Math.exp((0.5 - y / size) * 2 * Math.PI)) - Math.PI / 2
  return { lng: (x / size) * 360 - 180, lat: (lat * 180) / Math.PI }
}

/** Padding around the points, in pixels. */
const PADDING = 56

/**
 * The closest frame of a given width that shows every point, no higher than needed. Tiles need whole zoom levels; drawn
 * maps do not, but have less detail.
 */
export function frameAround(
  points: readonly Point[],
  { width, least, most, whole }: { width: number; least: number; most: number; whole: boolean },
): MapFrame {
  const step = whole ? 1 : 0.05
  let zoom = whole ? MAX_ZOOM : MAX_DRAWN_ZOOM
  while (zoom > 0) {
    const { right, left, bottom, top } = bounds(points, zoom)
    if (right - left <= width - 2 * PADDING && bottom - top <= most - 2 * PADDING) break
    zoom -= step
  }
  const { right, left, bottom, top } = bounds(points, Math.max(0, zoom))
  const height = Math.round(Math.min(most, Math.max(least, bottom - top + 2 * PADDING)))
  return {
    zoom: Math.max(0, zoom),
    width,
    height,
    left: Math.round((left + right - width) / 2),
    top: Math.round((top + bottom - height) / 2),
  }
}

/** Circumference of the earth at the equator, in metres, as the projection has it. */
const EQUATOR = 40_075_016.686

/** A frame with a point in its centre that is about so many kilometres wide. Tiles need whole zoom levels. */
export function frameOf(
  point: Point,
  { width, height, kilometres, whole }: { width: number; height: number; kilometres: number; whole: boolean },
): MapFrame {
  const lat = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, point.lat))
  const exact = Math.log2((EQUATOR * Math.cos((lat * Math.PI) / 180) * width) / (TILE * kilometres * 1000))
  const zoom = Math.max(0, whole ? Math.round(exact) : exact)
  const { x, y } = project(point, zoom)
  return { zoom, width, height, left: Math.round(x - width / 2), top: Math.round(y - height / 2) }
}

/** Tiles that cover a frame, with their positions in it. The world repeats east and west, not north and south. */
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

/** Metres per pixel at the centre of a frame. */
export function metresPerPixel({ zoom, top, height }: MapFrame): number {
  const size = TILE * 2 ** zoom
  const share = 0.5 - (top + height / 2) / size
  const lat = 2 * Math.atan(Math.exp(share * 2 * Math.PI)) - Math.PI / 2
  return (EQUATOR * Math.cos(lat)) / size
}

function bounds(points: readonly Point[], zoom: number) {
  const projected = points.map((point) => project(point, zoom))
  const xs = projected.map(({ x }) => x)
  const ys = projected.map(({ y }) => y)
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}
