import type { Linked } from '../domain/linked-records.ts'
import { citiesIn, outlineOf } from '../lib/base-map.ts'
import type { Point } from '../lib/geo.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { frameAround, frameOf, type MapFrame, metresPerPixel, project, TILE, tilesOf } from '../lib/mercator.ts'
import type { Context } from './context.ts'
import { type Box, boxAround, label } from './map-labels.ts'

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

/** Map of places, with a marker for each or for several. */
export function drawMap(
  context: Context,
  places: readonly Marked[],
  { label: name, ...size }: { width: number; least: number; most: number; label: string },
): Markup {
  const { tiles } = context.call.scope.site.design
  const frame = frameAround(places, { ...size, whole: tiles !== '' })
  const spots = gather(frame, places)
  const taken = [scaleBox(frame), ...spots.map(boxAround)]
  const names = spots.map((one) => label(frame, taken, { ...one, name: nameOf(one.places) }, 'label'))
  return html`<svg class="map" viewBox="0 0 ${frame.width} ${frame.height}" role="group" aria-label="${name}">
${ground(context, frame, taken)}${spots.map((one) => spot(context, one))}${names}${scale(context, frame)}${source(context, frame)}</svg>`
}

/** Name of a marker: of its first place, with the number of the others. */
function nameOf(places: readonly Marked[]): string {
  const [first, ...others] = places
  return `${first?.name ?? ''}${others.length > 0 ? ` +${others.length}` : ''}`
}

/** Side of the small map of a place: about so many kilometres. */
const AROUND = 100
const SMALL = { width: 360, height: 240 }

/** Small map around a place, named after it. With tiles it has a link to their licence, and is no image. */
export function drawPlace(context: Context, point: Point, name: string): Markup {
  const { tiles } = context.call.scope.site.design
  const frame = frameOf(point, { ...SMALL, kilometres: AROUND, whole: tiles !== '' })
  const mark = { x: SMALL.width / 2, y: SMALL.height / 2, radius: 9 }
  const taken = [scaleBox(frame), boxAround(mark)]
  return html`<svg class="map" viewBox="0 0 ${SMALL.width} ${SMALL.height}" role="${tiles === '' ? 'img' : 'group'}" aria-label="${name}">
${ground(context, frame, taken)}<circle class="here" cx="${mark.x}" cy="${mark.y}" r="${mark.radius}"/>${scale(context, frame)}${source(context, frame)}</svg>`
}

/** Ground of a map: the configured tiles, or our own base map, which asks nothing of others. */
function ground({ call }: Context, frame: MapFrame, taken: Box[]): MarkupPart {
  const { tiles } = call.scope.site.design
  if (tiles !== '')
    return tilesOf(frame).map(
      ({ z, x, y, at }) =>
        html`<image href="${fill(tiles, { z, x, y })}" x="${at[0]}" y="${at[1]}" width="${TILE}" height="${TILE}"/>`,
    )
  const { land, borders } = outlineOf(frame)
  const cities = citiesIn(frame).map(({ name, x, y }) => {
    const named = label(frame, taken, { name, x, y, radius: CITY }, 'city')
    return named && html`<circle class="town" cx="${x}" cy="${y}" r="${CITY}"/>${named}`
  })
  return html`<rect class="sea" width="${frame.width}" height="${frame.height}"/><path class="land" d="${land}"/><path class="borders" d="${borders}"/>
${cities}`
}

/** Radius of the dot of a city. */
const CITY = 3

/** Link to the licence of tiles. */
function source({ call }: Context, { width, height }: MapFrame): MarkupPart {
  return (
    call.scope.site.design.tiles !== '' &&
    html`<a href="https://www.openstreetmap.org/copyright"><text class="source" x="${width - 8}" y="${height - 8}" text-anchor="end">© OpenStreetMap</text></a>`
  )
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

const LENGTHS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]

/** Corner that the scale takes. */
function scaleBox({ width, height }: MapFrame): Box {
  return { left: 0, right: width / 5 + 90, top: height - 36, bottom: height }
}

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
