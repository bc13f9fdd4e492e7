/** A point on the map, in degrees. */
export interface Point {
  readonly lat: number
  readonly lng: number
}

/** Bounding box in degrees. It does not cross the date line. */
export interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** Mean radius of the earth, in kilometres. */
export const EARTH_RADIUS = 6371.0088

const DEGREE = Math.PI / 180

/** Great-circle distance, in kilometres (haversine). */
export function distance(one: Point, other: Point): number {
  const lat = Math.sin(((other.lat - one.lat) * DEGREE) / 2) ** 2
  const lng = Math.sin(((other.lng - one.lng) * DEGREE) / 2) ** 2
  const half = lat + Math.cos(one.lat * DEGREE) * Math.cos(other.lat * DEGREE) * lng
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(half)))
}

/** Bounding boxes that contain every point within a distance: two at the date line, all longitudes at a pole. */
export function boxesAround({ lat, lng }: Point, kilometres: number): Box[] {
  const angle = kilometres / EARTH_RADIUS
  const south = lat - angle / DEGREE
  const north = lat + angle / DEGREE
  if (south <= -90 || north >= 90) return [{ south, north, west: -180, east: 180 }]
  const width = Math.asin(Math.min(1, Math.sin(angle) / Math.cos(lat * DEGREE))) / DEGREE
  const [west, east] = [lng - width, lng + width]
  if (west < -180)
    return [
      { south, north, west: -180, east },
      { south, north, west: west + 360, east: 180 },
    ]
  if (east > 180)
    return [
      { south, north, west, east: 180 },
      { south, north, west: -180, east: east - 360 },
    ]
  return [{ south, north, west, east }]
}
