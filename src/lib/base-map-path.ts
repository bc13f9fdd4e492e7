import type { MapFrame } from './mercator.ts'

/** A point of a frame, in pixels. */
export type Pixel = readonly [x: number, y: number]

/** Pixels beyond the edge of a frame that are kept, so that no line is seen along it. */
const MARGIN = 4

/** Clips a ring to a frame (Sutherland and Hodgman). */
export function clip({ width, height }: MapFrame, ring: readonly Pixel[]): readonly Pixel[] {
  const wide = clipSide(clipSide(ring, 0, -MARGIN, 1), 0, width + MARGIN, -1)
  return clipSide(clipSide(wide, 1, -MARGIN, 1), 1, height + MARGIN, -1)
}

function clipSide(points: readonly Pixel[], axis: 0 | 1, at: number, side: 1 | -1): readonly Pixel[] {
  const isInside = (point: Pixel) => (point[axis] - at) * side >= 0
  if (points.every(isInside)) return points
  const clipped: Pixel[] = []
  let before = points.at(-1)
  for (const point of points) {
    const is = isInside(point)
    if (before !== undefined && isInside(before) !== is) {
      const share = (at - before[axis]) / (point[axis] - before[axis])
      clipped.push([before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])])
    }
    if (is) clipped.push(point)
    before = point
  }
  return clipped
}

/** The parts of a line whose segments may cross a frame. */
export function partsIn({ width, height }: MapFrame, line: readonly Pixel[]): Pixel[][] {
  const parts: Pixel[][] = []
  let isOpen = false
  line.forEach((point, n) => {
    const before = line[n - 1]
    if (before === undefined) return
    const [left, right] = [Math.min(point[0], before[0]), Math.max(point[0], before[0])]
    const [top, bottom] = [Math.min(point[1], before[1]), Math.max(point[1], before[1])]
    const isNear = right >= 0 && left <= width && bottom >= 0 && top <= height
    if (isNear && !isOpen) parts.push([before])
    if (isNear) parts.at(-1)?.push(point)
    isOpen = isNear
  })
  return parts
}

/** Path in whole pixels, relative to the point before. */
export function pathOf(points: readonly Pixel[], isClosed: boolean): string {
  let path = ''
  let [x, y] = [0, 0]
  for (const point of points) {
    const [nextX, nextY] = [Math.round(point[0]), Math.round(point[1])]
    if (path === '') path = `M${nextX} ${nextY}l`
    else if (nextX === x && nextY === y) continue
    else path += `${path.endsWith('l') || nextX < x ? '' : ' '}${nextX - x}${nextY < y ? '' : ' '}${nextY - y}`
    x = nextX
    y = nextY
  }
  if (path === '' || path.endsWith('l')) return ''
  return isClosed ? `${path}z` : path
}
