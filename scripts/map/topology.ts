/** Reads TopoJSON, and simplifies its arcs, so that land and borders keep the same lines. */

/** Longitude and latitude, in degrees. A line that crosses the date line goes on beyond 180. */
export type Position = readonly [lng: number, lat: number]
export type Line = readonly Position[]

/** Indices of arcs; `~n` is arc n backwards. */
type Ring = readonly number[]

interface Geometry {
  readonly type: string
  readonly arcs?: readonly Ring[] | readonly (readonly Ring[])[]
}

export interface Topology {
  readonly arcs: readonly (readonly (readonly [number, number])[])[]
  readonly transform: { readonly scale: Position; readonly translate: Position }
  readonly objects: Record<'countries' | 'land', { readonly geometries: readonly Geometry[] }>
}

/** Land as closed rings, and borders between countries as lines. */
export interface Shapes {
  readonly land: Line[]
  readonly borders: Line[]
}

/** Shapes with points left out that are nearer than `tolerance` degrees to the simplified line. */
export function shapesOf(topology: Topology, tolerance: number): Shapes {
  const arcs = topology.arcs.map((arc) => simplify(unwrap(decode(topology, arc)), tolerance))
  const land = topology.objects.land.geometries.flatMap(ringsOf).map((ring) => close(join(arcs, ring)))
  const used = new Map<number, number>()
  for (const geometry of topology.objects.countries.geometries)
    for (const index of new Set(ringsOf(geometry).flat().map(arcOf))) used.set(index, (used.get(index) ?? 0) + 1)
  const shared = [...used].filter(([, count]) => count > 1).map(([index]) => arcs[index] ?? [])
  return { land: land.filter((ring) => extent(ring) > 2 * tolerance), borders: shared }
}

function arcOf(index: number): number {
  return index < 0 ? ~index : index
}

function ringsOf({ type, arcs = [] }: Geometry): Ring[] {
  return (type === 'MultiPolygon' ? (arcs as readonly (readonly Ring[])[]).flat() : arcs) as Ring[]
}

function decode({ transform: { scale, translate } }: Topology, arc: Topology['arcs'][number]): Position[] {
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]) => {
    x += dx
    y += dy
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
  })
}

/** Removes the jump of a line at the date line. */
function unwrap(line: Line): Position[] {
  let shift = 0
  return line.map(([lng, lat], n) => {
    const before = line[n - 1]?.[0] ?? lng
    if (Math.abs(lng - before) > 180) shift += lng < before ? 360 : -360
    return [lng + shift, lat]
  })
}

function join(arcs: readonly Line[], ring: Ring): Position[] {
  const points: Position[] = []
  for (const index of ring) {
    const arc = arcs[arcOf(index)] ?? []
    const next = index < 0 ? arc.toReversed() : arc
    points.push(...(points.length > 0 ? next.slice(1) : next))
  }
  return unwrap(points.map(([lng, lat]) => [((((lng + 180) % 360) + 360) % 360) - 180, lat]))
}

/** Antarctica goes around the pole: its ring ends where it began, one turn later. */
function close(ring: Position[]): Position[] {
  const [first, last] = [ring[0], ring.at(-1)]
  if (first === undefined || last === undefined || Math.abs(first[0] - last[0]) < 180) return ring
  return [...ring, [last[0], -90], [first[0], -90], first]
}

function extent(ring: Line): number {
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)]
  const range = (values: readonly number[]) =>
    values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity)
  return Math.max(range(lngs), range(lats))
}

/** Douglas and Peucker. A closed line is cut at its point that is farthest from its start. */
function simplify(line: Line, tolerance: number): Position[] {
  const [first, last] = [line[0], line.at(-1)]
  if (line.length < 3 || first === undefined || last === undefined) return [...line]
  const kept = new Set([0, line.length - 1])
  const todo: [number, number][] = []
  if (first[0] === last[0] && first[1] === last[1]) {
    const far = farthest(line, 0, line.length - 1, (point) => Math.hypot(point[0] - first[0], point[1] - first[1]))
    kept.add(far.index)
    todo.push([0, far.index], [far.index, line.length - 1])
  } else todo.push([0, line.length - 1])
  for (let range = todo.pop(); range !== undefined; range = todo.pop()) {
    const [from, to] = range
    const far = farthest(line, from, to, (point) => offLine(point, line[from] ?? first, line[to] ?? last))
    if (far.distance <= tolerance) continue
    kept.add(far.index)
    todo.push([from, far.index], [far.index, to])
  }
  return line.filter((_, n) => kept.has(n))
}

function farthest(line: Line, from: number, to: number, distanceOf: (point: Position) => number) {
  let found = { index: from, distance: -1 }
  for (let index = from + 1; index < to; index++) {
    const distance = distanceOf(line[index] ?? [0, 0])
    if (distance > found.distance) found = { index, distance }
  }
  return found
}

/** Distance of a point from a line, in degrees of latitude. */
function offLine([lng, lat]: Position, from: Position, to: Position): number {
  const narrow = Math.cos((lat * Math.PI) / 180)
  const [x, y] = [(lng - from[0]) * narrow, lat - from[1]]
  const [dx, dy] = [(to[0] - from[0]) * narrow, to[1] - from[1]]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, (x * dx + y * dy) / length))
  return Math.hypot(x - share * dx, y - share * dy)
}
