import { createRequire } from 'node:module'
import { formatOffset, type Instant, isManual, offsetMinutes, type Zone } from './zone.ts'

/**
 * The abbreviation in use in a zone at an instant (`CEST`, `JST`, `+0545`). The offset comes from Temporal; the zone
 * data only names it, since that data stops in 2037 and is wrong beyond.
 */
export function abbreviation(instant: Instant, zone: Zone): string {
  if (isManual(zone)) return zone
  const offset = offsetMinutes(instant, zone)
  const periods = periodsOf(zone)
  const current = periods.find((period) => instant < period.until)
  const named = current?.offset === offset ? current : periods.findLast((period) => period.offset === offset)
  return named?.name ?? formatOffset(offset, '')
}

interface Period {
  readonly name: string
  /** Minutes east of UTC. */
  readonly offset: number
  readonly until: Instant
}

const unpacked = new Map<Zone, readonly Period[]>()
let packed: Map<string, string> | undefined

function periodsOf(zone: Zone): readonly Period[] {
  let periods = unpacked.get(zone)
  if (periods === undefined) {
    packed ??= load()
    periods = unpack(packed.get(zone.toLowerCase()) ?? '')
    unpacked.set(zone, periods)
  }
  return periods
}

function load(): Map<string, string> {
  const data = createRequire(import.meta.url)('moment-timezone/data/packed/latest.json') as {
    zones: string[]
    links: string[]
  }
  const byName = new Map(data.zones.map((line) => [line.slice(0, line.indexOf('|')).toLowerCase(), line]))
  for (const link of data.links) {
    const [target = '', name = ''] = link.toLowerCase().split('|')
    const line = byName.get(target)
    if (line !== undefined) byName.set(name, line)
  }
  return byName
}

/** A packed zone is `name|abbreviations|offsets|indices|untils|…`, its numbers in base 60, the untils as differences in minutes. */
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
      until: n < differences.length && untils !== '' ? Math.round(minutes * 60) : Number.POSITIVE_INFINITY,
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
