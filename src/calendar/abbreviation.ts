import data from './abbreviations.json' with { type: 'json' }
import { formatOffset, type Instant, isManual, offsetMinutes, type Zone } from './zone.ts'

/** The abbreviation in use in a zone at an instant (`CEST`, `JST`, `+0545`). Temporal knows the offset, but not its name. */
export function abbreviation(instant: Instant, zone: Zone): string {
  if (isManual(zone)) return zone
  const offset = offsetMinutes(instant, zone)
  const found = namesOf(zone).find((name) => name.offset === offset && instant < name.until)
  return found?.name ?? formatOffset(offset, '')
}

interface OffsetName {
  readonly name: string
  /** Minutes east of UTC. */
  readonly offset: number
  readonly until: Instant
}

const parsed = new Map<Zone, readonly OffsetName[]>()
let texts: ReadonlyMap<string, string> | undefined

function namesOf(zone: Zone): readonly OffsetName[] {
  let names = parsed.get(zone)
  if (names === undefined) {
    texts ??= byLowerCaseName()
    names = parse(texts.get(zone.toLowerCase()) ?? '')
    parsed.set(zone, names)
  }
  return names
}

function byLowerCaseName(): ReadonlyMap<string, string> {
  const zones: Readonly<Record<string, string>> = data.zones
  const links = Object.entries(data.links).map(([name, target]) => [name, zones[target] ?? ''] as const)
  return new Map([...Object.entries(zones), ...links].map(([name, text]) => [name.toLowerCase(), text]))
}

/** Reads `LMT 9 -2486592561, PMT 9`: name, offset, and the end of all names of an offset but the last. */
function parse(text: string): readonly OffsetName[] {
  return text.split(', ').map((part) => {
    const [name = '', offset, until] = part.split(' ')
    return { name, offset: Number(offset), until: until === undefined ? Number.POSITIVE_INFINITY : Number(until) }
  })
}
