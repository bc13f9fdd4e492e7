import { findZone, type Instant, toInstant, type WallClock, type Zone } from './zone.ts'

/** What a written zone says: an offset in seconds, east positive, or a zone with its own changes of the clock. */
export type WrittenZone = { readonly offset: number } | { readonly zone: Zone }

/** Abbreviations by their offset in minutes. Each has one meaning, the same as in PHP: `IST` is Israel, `CST` America. */
const OFFSETS: readonly (readonly [number, string])[] = [
  [-660, 'sst'],
  [-600, 'ahst bdt hst'],
  [-570, 'hpt hwt'],
  [-540, 'ahdt akst hdt yst'],
  [-480, 'akdt pst ydt ypt ywt'],
  [-420, 'mst pdt ppt pwt yddt'],
  [-360, 'cst mdt mpt mwt pddt'],
  [-300, 'cdt cpt cwt est mddt'],
  [-240, 'ast cddt edt ept ewt'],
  [-210, 'nst'],
  [-180, 'adt apt awt eddt'],
  [-150, 'ndt npt nwt'],
  [-120, 'addt'],
  [-90, 'nddt'],
  [0, 'gmt uct utc wet'],
  [60, 'bst cet met wat west'],
  [120, 'bdst cat cest eet ist mest sast wast wemt'],
  [180, 'cemt eat eest idt msk'],
  [240, 'iddt msd'],
  [300, 'pkt'],
  [360, 'pkst'],
  [420, 'wib'],
  [480, 'awst hkt wita'],
  [540, 'awdt hkst jst kst wit'],
  [570, 'acst cast'],
  [600, 'aest chst gst jdt kdt'],
  [630, 'acdt'],
  [660, 'aedt gdt'],
  [690, 'nzmt'],
  [720, 'nzst'],
  [780, 'nzdt'],
]

const ABBREVIATIONS = new Map(
  OFFSETS.flatMap(([minutes, names]) => names.split(' ').map((name) => [name, minutes * 60] as const)),
)

/** The largest offset of a written zone, in seconds. */
const LARGEST = 18 * 3600

/** Reads `+02:00`, `-0330`, `+5`, `GMT+2`, `Z`, `CEST`, `(CEST)`, `Europe/Berlin`; null if there is no such zone. */
export function readZone(text: string): WrittenZone | null {
  const [, sign, digits = ''] = /^(?:GMT|UTC)?([+-])([\d:]+)$/i.exec(text) ?? []
  if (sign !== undefined) return readOffset(sign, digits)
  const name = text.replace(/[()]/g, '')
  const offset = name.toLowerCase() === 'z' ? 0 : ABBREVIATIONS.get(name.toLowerCase())
  if (offset !== undefined) return { offset }
  const zone = name.length < 2 ? null : findZone(name)
  return zone === null ? null : { zone }
}

/** One or two digits are hours; of three or four the last two are minutes. */
function readOffset(sign: string, digits: string): WrittenZone | null {
  const plain = digits.length < 3 ? `${digits}00` : digits
  const [hours = 0, minutes = 0, seconds = 0] = plain.includes(':')
    ? plain.split(':').map(Number)
    : plain.length > 4
      ? [+plain.slice(0, 2), +plain.slice(2, 4), +plain.slice(4)]
      : [+plain.slice(0, -2), +plain.slice(-2)]
  const offset = hours * 3600 + minutes * 60 + seconds
  return offset > LARGEST ? null : { offset: sign === '-' ? -offset : offset }
}

/** The instant at which a clock in a written zone shows `wall`. */
export function instantOf(wall: WallClock, written: WrittenZone): Instant {
  return 'zone' in written ? toInstant(wall, written.zone) : toInstant(wall, 'UTC') - written.offset
}
