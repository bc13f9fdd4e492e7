import type { Linked } from '../domain/linked-records.ts'
import type { Point } from '../lib/geo.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { frameAround, type MapFrame, metresPerPixel, project, TILE, tilesOf } from '../lib/mercator.ts'
import type { Context } from './context.ts'

/** Marker on the map. */
export interface Marked extends Point {
  readonly name: string
  /** Number of events. */
  readonly weight: number
  readonly href: string
}

interface Spot {
  readonly x: number
  readonly y: number
  readonly radius: number
  readonly weight: number
  readonly places: Marked[]
}

export function isPlaced({ row }: Linked): boolean {
  return typeof row.geo_lat === 'number' && typeof row.geo_lng === 'number'
}

export function pointOf({ row }: Linked): Point {
  return { lat: Number(row.geo_lat), lng: Number(row.geo_lng) }
}

/** Link to a place on an external map. Nothing is requested until it is followed. */
export function openStreetMap(venue: Linked): string {
  if (isPlaced(venue)) {
    const { lat, lng } = pointOf(venue)
    return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
  }
  const { venue: name, address, city, zip, country } = venue.row
  const query = [address || name, zip, city, country].filter(Boolean).join(', ')
  return `https://www.openstreetmap.org/search?query=${encodeURIComponent(query)}`
}

/** Map of places: on the configured tiles, or on a plain background with a scale. */
export function drawMap(
  context: Context,
  places: readonly Marked[],
  { label, ...size }: { width: number; least: number; most: number; label: string },
): Markup {
  const { tiles } = context.call.scope.site.design
  const frame = frameAround(places, { ...size, whole: tiles !== '' })
  const { width, height } = frame
  const spots = gather(frame, places)
  return html`<svg class="map${tiles === '' && ' paper'}" viewBox="0 0 ${width} ${height}" role="group" aria-label="${label}">
${tiles === '' ? paper(frame) : tilesOf(frame).map(({ z, x, y, at }) => html`<image href="${fill(tiles, { z, x, y })}" x="${at[0]}" y="${at[1]}" width="${TILE}" height="${TILE}"/>`)}
${spots.map((one) => spot(context, one))}${labels(frame, spots)}${scale(context, frame)}
${tiles !== '' && html`<a href="https://www.openstreetmap.org/copyright"><text class="source" x="${width - 8}" y="${height - 8}" text-anchor="end">© OpenStreetMap</text></a>`}</svg>`
}

function fill(address: string, values: Record<string, number>): string {
  return address.replace(/\{([zxy])\}/g, (_, name) => String(values[name]))
}

/** Clusters markers that would overlap. */
function gather(frame: MapFrame, places: readonly Marked[]): Spot[] {
  const spots: Spot[] = []
  for (const place of places) {
    const at = project(place, frame.zoom)
    const [x, y] = [Math.round(at.x - frame.left), Math.round(at.y - frame.top)]
    const near = spots.findIndex((spot) => Math.hypot(spot.x - x, spot.y - y) < spot.radius + radiusOf(place.weight))
    const found = spots[near]
    if (found === undefined) spots.push({ x, y, weight: place.weight, radius: radiusOf(place.weight), places: [place] })
    else {
      const weight = found.weight + place.weight
      spots[near] = { ...found, weight, radius: radiusOf(weight), places: [...found.places, place] }
    }
  }
  return spots
}

function radiusOf(weight: number): number {
  return Math.round(Math.min(26, 11 + Math.sqrt(weight) * 1.6))
}

function spot({ count }: Context, { x, y, radius, weight, places }: Spot): MarkupPart {
  const [first] = places
  const names = `${count('events', weight)}: ${places.map(({ name }) => name).join(', ')}`
  return html`<a class="spot" href="${first?.href}" aria-label="${names}"><title>${names}</title><circle cx="${x}" cy="${y}" r="${radius}"/><text x="${x}" y="${y}" dy=".36em" text-anchor="middle">${weight}</text></a>
`
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Height of a label and maximal width of a letter, in pixels. */
const NAME_HEIGHT = 20
const LETTER = 7.2

/** Places labels beside, below or above markers, as far as there is room. */
function labels(frame: MapFrame, spots: readonly Spot[]): MarkupPart {
  const taken: Box[] = spots.map(({ x, y, radius }) => ({
    left: x - radius,
    right: x + radius,
    top: y - radius,
    bottom: y + radius,
  }))
  return spots.map(({ x, y, radius, places: [place] }) => {
    if (place === undefined) return null
    const name = place.name.length > 30 ? `${place.name.slice(0, 29)}…` : place.name
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
    return html`<text class="label" x="${found.at}" y="${found.line}" dy=".34em" text-anchor="${found.anchor}" aria-hidden="true">${name}</text>
`
  })
}

function boxOf(left: number, line: number, wide: number): Box {
  return { left, right: left + wide, top: line - NAME_HEIGHT / 2, bottom: line + NAME_HEIGHT / 2 }
}

function isFree({ width, height }: MapFrame, taken: readonly Box[], { left, right, top, bottom }: Box): boolean {
  if (left < 6 || right > width - 6 || top < 6 || bottom > height - 6) return false
  return taken.every((box) => right < box.left || left > box.right || bottom < box.top || top > box.bottom)
}

/** Grid lines a hundred pixels apart, from the centre. */
function paper({ width, height }: MapFrame): MarkupPart {
  const lines = (length: number) =>
    Array.from({ length: Math.ceil(length / 100) }, (_, n) => (length % 100) / 2 + n * 100)
  const path = [...lines(width).map((x) => `M${x} 0V${height}`), ...lines(height).map((y) => `M0 ${y}H${width}`)].join(
    '',
  )
  return html`<rect class="ground" width="${width}" height="${height}"/><path class="lines" d="${path}"/>`
}

const LENGTHS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]

/** Longest round distance that fits a fifth of the view. */
function scale({ locale }: Context, frame: MapFrame): MarkupPart {
  const metres = metresPerPixel(frame)
  const length = LENGTHS.findLast((one) => one / metres < frame.width / 5)
  if (length === undefined) return null
  const wide = Math.round(length / metres)
  const far = length >= 1000
  const words = new Intl.NumberFormat(locale, { style: 'unit', unit: far ? 'kilometer' : 'meter' }).format(
    far ? length / 1000 : length,
  )
  const y = frame.height - 16
  return html`<g class="scale" aria-hidden="true"><path d="M16 ${y - 6}v6h${wide}v-6"/><text x="${20 + wide + 4}" y="${y}">${words}</text></g>`
}
