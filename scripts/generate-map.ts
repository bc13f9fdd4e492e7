import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodeNumbers, LEVELS } from '../src/lib/base-map-format.ts'
import { cutIntoCells } from './map/cells.ts'
import { type Line, shapesOf, type Topology } from './map/topology.ts'

/**
 * Makes the base map in web/map/ from Natural Earth, which is in the public domain: land and borders from world-atlas,
 * cities from city-timezones. docs/decisions/base-map.md has the reasons.
 */

export const LAND_FILE = new URL('../web/map/land.txt', import.meta.url)
export const CITIES_FILE = new URL('../web/map/cities.txt', import.meta.url)

/** Source of each level, and how far a line may be from its simplified one, in degrees. */
const SOURCES = [
  { file: 'countries-110m.json', tolerance: 0.1 },
  { file: 'countries-50m.json', tolerance: 0.02 },
  { file: 'countries-10m.json', tolerance: 0.003 },
] as const

const require = createRequire(import.meta.url)

/** Whether the sources are there. */
export const IS_INSTALLED = existsSync(new URL('../node_modules/world-atlas', import.meta.url))

/** One line per cell: level, column, row, rings of land, and borders. */
export function generateLand(): string {
  const lines = LEVELS.flatMap(({ size, unit }, level) => {
    const { file, tolerance } = SOURCES[level] ?? SOURCES[0]
    const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/${file}`), 'utf8')) as Topology
    const encode = (some: readonly Line[], least: number) =>
      some.map((line) => encodeLine(line, unit, least)).filter((text) => text !== '')
    return cutIntoCells(shapesOf(topology, tolerance), size).flatMap(({ column, row, land, borders }) => {
      const shapes = [encode(land, 3).join(','), encode(borders, 2).join(',')]
      return shapes.every((text) => text === '') ? [] : `${level} ${column} ${row} ${shapes.join(' ')}`
    })
  })
  return `${lines.join('\n')}\n`
}

/** Points in units of the level: the first from the corner of the cell, the others from the point before. */
function encodeLine(line: Line, unit: number, least: number): string {
  const whole = line.map(([lng, lat]) => [Math.round(lng / unit), Math.round(lat / unit)] as const)
  const moved = whole.filter(([x, y], n) => n === 0 || x !== whole[n - 1]?.[0] || y !== whole[n - 1]?.[1])
  if (moved.length < least) return ''
  const steps = moved.flatMap(([x, y], n) => [x - (moved[n - 1]?.[0] ?? 0), y - (moved[n - 1]?.[1] ?? 0)])
  return encodeNumbers(steps)
}

interface City {
  readonly city: string
  readonly lat: number
  readonly lng: number
  readonly pop: number
}

/** One line per city: latitude, longitude, name; the largest first. */
export function generateCities(): string {
  const cities = JSON.parse(readFileSync(require.resolve('city-timezones/data/cityMap.json'), 'utf8')) as City[]
  const lines = cities
    .filter(({ pop }) => pop > 0)
    .sort((one, other) => other.pop - one.pop || (one.city < other.city ? -1 : 1))
    .map(({ lat, lng, city }) => `${lat.toFixed(3)} ${lng.toFixed(3)} ${city.trim()}`)
  return `${[...new Set(lines)].join('\n')}\n`
}

if (import.meta.main) {
  writeFileSync(LAND_FILE, generateLand())
  writeFileSync(CITIES_FILE, generateCities())
}
