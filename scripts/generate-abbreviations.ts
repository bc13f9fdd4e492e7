import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * Makes src/calendar/abbreviations.json from moment-timezone, which has them from the tz database. Temporal and Intl know
 * offsets, but not how they are called.
 */

export const FILE = new URL('../src/calendar/abbreviations.json', import.meta.url)

interface Packed {
  readonly version: string
  /** `name|abbreviations|offsets|indices|untils|…`, its numbers in base 60, the untils as differences in minutes. */
  readonly zones: readonly string[]
  /** `target|name` */
  readonly links: readonly string[]
}

interface Period {
  readonly name: string
  /** Minutes east of UTC. */
  readonly offset: number
  /** Unix seconds. */
  readonly until: number
}

export function generate(): string {
  const require = createRequire(import.meta.url)
  const { version, zones, links } = require('moment-timezone/data/packed/latest.json') as Packed
  const licence = readFileSync(require.resolve('moment-timezone/LICENSE'), 'utf8')
  const named = Object.fromEntries(zones.map((line) => [line.slice(0, line.indexOf('|')), describe(unpack(line))]))
  const data = {
    source: `moment-timezone, made from the tz database ${version}`,
    licence: licence.trim().split(/\s*\n\s*/),
    zones: named,
    links: Object.fromEntries(links.map((link) => link.split('|').reverse())),
  }
  return `${JSON.stringify(data, null, 2)}\n`
}

/**
 * `CET 60, CEST 120`: names with their offsets. Where an offset had several names, all but the last have the Unix second
 * at which they end: `LMT 9 -2486592561, PMT 9`.
 */
function describe(periods: readonly Period[]): string {
  return [...new Set(periods.map(({ offset }) => offset))]
    .flatMap((offset) => {
      const same = periods.filter((period) => period.offset === offset)
      const last = same.filter((period, n) => period.name !== same[n + 1]?.name)
      return last.map(({ name, until }, n) => `${name} ${offset}${n < last.length - 1 ? ` ${until}` : ''}`)
    })
    .join(', ')
}

function unpack(line: string): readonly Period[] {
  const [, names = '', offsets = '', indices = '', untils = ''] = line.split('|')
  const nameList = names.split(' ')
  const offsetList = offsets.split(' ').map(base60)
  const differences = untils.split(' ').map(base60)
  let minutes = 0
  return [...indices].map((digit, n) => {
    const index = base60(digit)
    minutes += differences[n] ?? 0
    return {
      name: nameList[index] ?? '',
      // The data counts west of UTC as positive.
      offset: -Math.trunc(offsetList[index] ?? 0) + 0,
      until: Math.round(minutes * 60),
    }
  })
}

function base60(text: string): number {
  const [, minus = '', whole = '', fraction = ''] = /^(-?)([0-9a-zA-Z]*)\.?([0-9a-zA-Z]*)$/.exec(text) ?? []
  let value = 0
  for (const digit of whole) value = value * 60 + digitOf(digit)
  let unit = 1
  for (const digit of fraction) {
    unit /= 60
    value += digitOf(digit) * unit
  }
  return minus === '' ? value : -value
}

function digitOf(character: string): number {
  const code = character.charCodeAt(0)
  if (code > 96) return code - 87
  return code > 64 ? code - 29 : code - 48
}

if (import.meta.main) writeFileSync(FILE, generate())
