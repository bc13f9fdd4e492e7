import { fixedZone } from './clock.ts'
import { unescapeText } from './content-lines.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { findZone, type Zone } from './zone.ts'
import { ZONE_PLACES } from './zone-places.ts'

/** The longest name that is read, in characters. */
const MAX_NAME = 200

const windowsZones = new Map(Object.entries(WINDOWS_ZONES).map(([name, zone]) => [name.toLowerCase(), zone]))

/** Zones by the city that their IANA names end with, and by other places. */
const places = new Map([
  ...Intl.supportedValuesOf('timeZone').map((zone) => [placeOf(zone), zone] as const),
  ...Object.entries(ZONE_PLACES),
])

function placeOf(zone: Zone): string {
  return (zone.split('/').at(-1) ?? '').replaceAll('_', ' ').toLowerCase()
}

/** A name without the escapes and quotes that some programs write around it. */
export function plainName(tzid: string): string {
  return unescapeText(tzid.slice(0, 1000)).replace(/["\\]/g, '').replace(/\s+/g, ' ').trim()
}

/** Equal for two spellings of one name: a fold may add a space, or take one away. */
export function nameKey(tzid: string): string {
  return plainName(tzid).replaceAll(' ', '').toLowerCase()
}

/** The zone that a calendar means by a name: of IANA or Windows, also behind a prefix, an offset, or a place. */
export function zoneNamed(tzid: string): Zone | null {
  const name = plainName(tzid)
  if (name === '' || name.length > MAX_NAME) return null
  for (const tail of [name, ...tailsOf(name)]) {
    const zone = ianaZone(tail) ?? windowsZone(tail) ?? offsetZone(tail)
    if (zone !== null) return zone
  }
  const zone = shownZone(name) ?? placeZone(name)
  // Europe/Berlin (CET), Pacific Time (US & Canada) (Mobile).
  const stem = name.replace(/\s*\([^()]*\)$/, '')
  return zone ?? (stem === name ? null : zoneNamed(stem))
}

/** Whether a name is that of an IANA zone with its area, such as `Europe/Berlin`: it means one zone, whatever the file says. */
export function isFullName(tzid: string): boolean {
  const name = plainName(tzid)
  return [name, ...tailsOf(name)].some((tail) => tail.includes('/') && ianaZone(tail) !== null)
}

/** Libraries put their own name in front: `/freeassociation.sourceforge.net/Europe/Berlin`. */
function tailsOf(name: string): string[] {
  if (name.length > MAX_NAME || !name.includes('/')) return []
  const segments = name.split('/').filter((segment) => segment !== '')
  return [3, 2, 1].filter((count) => segments.length >= count).map((count) => segments.slice(-count).join('/'))
}

function ianaZone(name: string): Zone | null {
  // US-Eastern, America/New York.
  return findZone(name) ?? findZone(name.replaceAll(' ', '_')) ?? findZone(name.replace(/^US-/i, 'US/'))
}

/**
 * Names of Windows are those of the standard time, whatever the season. Some programs write the other one, or neither:
 * `Eastern`, `W. Europe`.
 */
function windowsZone(name: string): Zone | null {
  const lower = name.toLowerCase()
  const stem = lower.replace(/(?: (?:standard|daylight|summer))?(?: time)?$/, '')
  const found = windowsZones.get(lower) ?? windowsZones.get(`${stem} standard time`)
  return found === undefined ? null : findZone(found)
}

const OFFSET = /^\(?(?:GMT|UTC)?\s*([+-])\s*(\d{1,2})(?:[:.]?(\d{2}))?\)?$/i
const LOTUS = /^Z([EW])(\d{1,2})([A-C]?)$/i

/** `GMT+01:00`, `UTC-0330`, `(GMT +01.00)`, and `ZE5B` of Lotus Notes: five hours and two quarters east. */
function offsetZone(name: string): Zone | null {
  const [, sign, hours, minutes = '0'] = OFFSET.exec(name) ?? []
  if (sign !== undefined)
    return Number(minutes) > 59
      ? null
      : fixedZone((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60)
  const [, side, whole, part = ''] = LOTUS.exec(name) ?? []
  if (side === undefined) return null
  const quarters = ' ABC'.indexOf(part.toUpperCase() || ' ')
  return fixedZone((side.toUpperCase() === 'W' ? -1 : 1) * (Number(whole) * 3600 + quarters * 900))
}

/** `(UTC+01:00) Amsterdam, Berlin, Bern`: the first place that is known and, failing that, the offset. */
function shownZone(name: string): Zone | null {
  const [, offset, rest = ''] = /^(\([^)]{0,20}\))\s*(.*)$/.exec(name) ?? []
  if (offset === undefined) return null
  const zone = rest === '' ? null : (ianaZone(rest) ?? placeZone(rest) ?? windowsZone(rest))
  return zone ?? (/^\((?:GMT|UTC)\)$/i.test(offset) ? 'UTC' : offsetZone(offset))
}

function placeZone(name: string): Zone | null {
  const whole = name.toLowerCase().replace(' and canada', ' & canada')
  for (const place of [whole, ...whole.split(/\s*[,:;/]\s*| - /)]) {
    const found = places.get(place)
    // Greenwich Mean Time: Dublin, Edinburgh, Lisbon, London.
    const isPlace = found !== undefined && (found !== 'UTC' || place === whole)
    if (isPlace) return findZone(found)
  }
  return null
}
