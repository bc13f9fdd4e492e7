import type { Line, Position, Shapes } from './topology.ts'

/** A cell of the grid: its land and borders, by column and row from the south-west corner of the world. */
export interface Cell {
  readonly column: number
  readonly row: number
  readonly land: Line[]
  readonly borders: Line[]
}

/** Range of columns or rows, the second exclusive. */
interface Block {
  readonly columns: readonly [number, number]
  readonly rows: readonly [number, number]
}

/** Cuts shapes into the cells of a grid. Columns are counted around the world. */
export function cutIntoCells({ land, borders }: Shapes, size: number): Cell[] {
  const around = 360 / size
  const whole: Block = { columns: [-around, 2 * around], rows: [0, 180 / size] }
  const cells = new Map<number, Cell>()
  const cellAt = (block: Block) => {
    const column = ((block.columns[0] % around) + around) % around
    const [row] = block.rows
    const cell = cells.get(row * around + column) ?? { column, row, land: [], borders: [] }
    cells.set(row * around + column, cell)
    return cell
  }
  const toCell = (block: Block, line: Line): Position[] => {
    const [west, south] = [block.columns[0] * size - 180, block.rows[0] * size - 90]
    return line.map(([lng, lat]) => [lng - west, lat - south])
  }
  for (const ring of land)
    cut(whole, [ring], size, clipRing, (block, [one = []]) => cellAt(block).land.push(toCell(block, one)))
  for (const line of borders)
    cut(whole, [line], size, clipLines, (block, lines) =>
      cellAt(block).borders.push(...lines.map((one) => toCell(block, one))),
    )
  return [...cells.values()].sort((one, other) => one.row - other.row || one.column - other.column)
}

/** A side of a line along an axis: 0 for the longitude, 1 for the latitude. */
interface Half {
  readonly axis: 0 | 1
  readonly at: number
  readonly side: 1 | -1
}
type Clip = (lines: readonly Line[], half: Half) => Line[]

/** Halves a block until it is one cell, and clips the lines to each half. */
function cut(
  block: Block,
  lines: readonly Line[],
  size: number,
  clip: Clip,
  put: (block: Block, lines: readonly Line[]) => void,
) {
  if (lines.length === 0) return
  const { columns, rows } = block
  const [wide, high] = [columns[1] - columns[0], rows[1] - rows[0]]
  if (wide === 1 && high === 1) return put(block, lines)
  const axis = wide >= high ? 0 : 1
  const [from, to] = axis === 0 ? columns : rows
  const middle = Math.floor((from + to) / 2)
  const at = middle * size - (axis === 0 ? 180 : 90)
  const part = (range: readonly [number, number]): Block =>
    axis === 0 ? { columns: range, rows } : { columns, rows: range }
  cut(part([from, middle]), clip(lines, { axis, at, side: -1 }), size, clip, put)
  cut(part([middle, to]), clip(lines, { axis, at, side: 1 }), size, clip, put)
}

function isInside(point: Position, { axis, at, side }: Half): boolean {
  return (point[axis] - at) * side >= 0
}

function crossing(from: Position, to: Position, { axis, at }: Half): Position {
  const share = (at - from[axis]) / (to[axis] - from[axis])
  const other = from[(1 - axis) as 0 | 1] + share * (to[(1 - axis) as 0 | 1] - from[(1 - axis) as 0 | 1])
  return axis === 0 ? [at, other] : [other, at]
}

/** Sutherland and Hodgman: a ring stays one ring, with edges along the cut. */
function clipRing([ring = []]: readonly Line[], half: Half): Line[] {
  const inside: Position[] = []
  ring.forEach((point, n) => {
    const before = ring[n - 1] ?? ring.at(-1) ?? point
    const [was, is] = [isInside(before, half), isInside(point, half)]
    if (was !== is) inside.push(crossing(before, point, half))
    if (is) inside.push(point)
  })
  const off = inside.some((point) => point[half.axis] !== half.at)
  return inside.length > 2 && off ? [inside] : []
}

function clipLines(lines: readonly Line[], half: Half): Line[] {
  return lines.flatMap((line) => {
    const parts: Position[][] = []
    line.forEach((point, n) => {
      const before = line[n - 1]
      const is = isInside(point, half)
      if (before !== undefined && isInside(before, half) !== is) {
        const edge = crossing(before, point, half)
        if (is) parts.push([edge])
        else parts.at(-1)?.push(edge)
      }
      if (!is) return
      if (before === undefined) parts.push([])
      parts.at(-1)?.push(point)
    })
    return parts.filter((part) => part.length > 1)
  })
}
