import type { Measurements } from './record.ts'
import type { Results } from './suite.ts'
import { WORKS, type Work } from './works.ts'

const WIDTH = 800
const LEFT = 28
/** The ratio at the right end of the scale, and where that is. */
const MOST = 2
const RIGHT = WIDTH - 64
const ROW = 50
const HEAD = 86

const STYLE = `
  :root { color-scheme: light dark }
  .card { fill: #ffffff; stroke: #dfe3ea }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; fill: #1d2430 }
  .title { font-size: 17px; font-weight: 600 }
  .soft, .axis, .group { fill: #667085 }
  .axis { font-size: 11px; text-anchor: middle }
  .group { font-size: 11px; font-weight: 600; letter-spacing: .06em; text-transform: uppercase }
  .value { font-weight: 600; font-variant-numeric: tabular-nums }
  .small { font-size: 11px }
  .name { paint-order: stroke; stroke: #ffffff; stroke-width: 5 }
  .track { fill: #f1f3f7 }
  .sqlite { fill: #3b5bdb }
  .postgres { fill: #12a594 }
  .grid { stroke: #e6e9ef }
  .one { stroke: #98a2b3; stroke-dasharray: 3 3 }
  .least { stroke: #1d2430; stroke-width: 1.5; stroke-dasharray: 2 2 }
  .aim { stroke: #e8590c; stroke-width: 2.5; stroke-linecap: round }
  @media (prefers-color-scheme: dark) {
    .card { fill: #12161d; stroke: #2a313c }
    text { fill: #e8ebf0 }
    .name { stroke: #12161d }
    .soft, .axis, .group { fill: #98a2b3 }
    .track { fill: #1c222c }
    .sqlite { fill: #748ffc }
    .postgres { fill: #2dd4bf }
    .grid { stroke: #232a35 }
    .one { stroke: #667085 }
    .least { stroke: #e8ebf0 }
    .aim { stroke: #ff922b }
  }`

const x = (ratio: number) => LEFT + (Math.min(ratio, MOST) / MOST) * (RIGHT - LEFT)
const text = (at: number, y: number, type: string, words: string, more = '') =>
  `<text x="${at.toFixed(1)}" y="${y}" class="${type}"${more}>${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
const line = (at: number, from: number, to: number, type: string) =>
  `<line x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="${from}" y2="${to}" class="${type}"/>`

/** A bar for each work and database, with marks for what is asked for at least and what is aimed at. */
export function plot({ sqlite, postgres }: Measurements): string {
  const groups = Map.groupBy(WORKS, (work) => work.against)
  let y = HEAD
  const parts: string[] = []
  for (const [against, works] of groups) {
    const rows = works.map((work, n) => row(work, sqlite, postgres, y + 22 + n * ROW))
    const bottom = y + 18 + works.length * ROW
    parts.push(text(LEFT, y + 8, 'group', `against ${against}`))
    for (const tick of [0.5, 1, 1.5, 2]) parts.push(line(x(tick), y + 16, bottom, tick === 1 ? 'one' : 'grid'))
    parts.push(...rows)
    y = bottom + 20
  }
  for (const tick of [0, 0.5, 1, 1.5, 2]) parts.push(text(x(tick), y - 2, 'axis', tick.toFixed(1)))
  const height = y + 18
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="t">
<title id="t">Ratios of the service to what it is compared with, by work</title>
<style>${STYLE}
</style>
<rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="12"/>
${text(LEFT, 36, 'title', 'How near the service comes to what the machine can do')}
${legend(postgres !== undefined)}
${parts.join('\n')}
</svg>
`
}

function legend(both: boolean): string {
  const y = 60
  const square = (at: number, type: string) =>
    `<rect x="${at}" y="${y - 9}" width="10" height="10" rx="2" class="${type}"/>`
  return [
    square(LEFT, 'sqlite') + text(LEFT + 16, y, 'soft', 'SQLite'),
    both ? square(LEFT + 76, 'postgres') + text(LEFT + 92, y, 'soft', 'PostgreSQL, which has half to reach') : '',
    line(RIGHT - 118, y - 11, y + 2, 'least') + text(RIGHT - 110, y, 'soft', 'at least'),
    line(RIGHT - 36, y - 11, y + 2, 'aim') + text(RIGHT - 28, y, 'soft', 'aim'),
  ].join('\n')
}

function row(work: Work, sqlite: Results | undefined, postgres: Results | undefined, top: number): string {
  const [own, other] = [sqlite, postgres].map((results) => results?.works[work.name]?.ratio)
  const bar = top + 17
  const parts = [
    text(LEFT, top + 10, 'name', work.title),
    `<rect x="${LEFT}" y="${bar}" width="${RIGHT - LEFT}" height="12" rx="3" class="track"/>`,
    rounded(own, bar, 12, 'sqlite'),
    rounded(other, bar + 14, 5, 'postgres'),
    line(x(work.atLeast), bar - 3, bar + 15, 'least'),
    work.aim === null ? '' : line(x(work.aim), bar - 3, bar + 15, 'aim'),
    text(RIGHT + 10, bar + 10, 'value', own?.toFixed(2) ?? '–'),
    other === undefined ? '' : text(RIGHT + 10, bar + 22, 'small soft', other.toFixed(2)),
  ]
  return parts.filter((part) => part !== '').join('')
}

function rounded(ratio: number | undefined, y: number, height: number, type: string): string {
  if (ratio === undefined) return ''
  const width = Math.max(2, x(ratio) - LEFT)
  return `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${height}" rx="${Math.min(3, height / 2)}" class="${type}"/>`
}
