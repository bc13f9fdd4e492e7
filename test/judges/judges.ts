import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ICAL from 'ical.js'
import { offsetSeconds } from '../../src/calendar/zone.ts'
import type { Made } from './calendar.ts'

/** An event as a program reads it. Times are Unix seconds, or dates as text. */
export interface ReadEvent {
  readonly uid: string
  readonly title: string
  readonly start: number | string | null
  readonly end: number | string | null
}

export type ReadCalendars = Readonly<Record<string, readonly ReadEvent[]>>

/** A program that reads calendars. */
export interface Judge {
  readonly name: string
  /** Package of Debian. */
  readonly from: string
  /** Whether it reads VTIMEZONE; otherwise it only knows zones by their names. */
  readonly readsZones: boolean
  /** Whether it knows zones by their names, from data that may be older than ours. */
  readonly knowsNames?: true
  /** Whether it reads a backslash in a text as something else than it is. */
  readonly misreadsBackslash?: true
  /** The year in which it stops to know changes of zones. */
  readonly lastYear?: number
  /** Other events that it reads wrong, by its own fault. */
  isMisread?(event: Made, isNamed: boolean): boolean
  /** Reads files. Null if the program is not installed. */
  read(files: readonly string[]): ReadCalendars | null
}

/** Exit code of the scripts without their library. */
const NOT_INSTALLED = 3

/** The Python of Debian: its packages are not found by another one. */
const PYTHON = '/usr/bin/python3'

/** Files that one process reads. */
const AT_ONCE = 200

/** Zones whose rules were changed in 2026: the data of Debian may be older. */
const CHANGED = ['Africa/Casablanca', 'Africa/El_Aaiun', 'America/Vancouver']

export const JUDGES: readonly Judge[] = [
  { name: 'ical.js', from: 'npm', readsZones: true, read: readWithIcalJs },
  {
    ...script('icalendar for Python', 'python3-icalendar', [PYTHON, 'read-icalendar.py']),
    knowsNames: true,
    // It takes `\\n` for a backslash and a line break.
    misreadsBackslash: true,
    // It expands rules up to 2038, as pytz does, and fails at a zone without a change before.
    lastYear: 2037,
  },
  {
    ...script('vobject for Python', 'python3-vobject', [PYTHON, 'read-vobject.py']),
    knowsNames: true,
    // It takes a zone for UTC whose description differs from it at no time from 2000 to 2020, and forgets its name.
    isMisread: ({ zone, start }, isNamed) =>
      typeof start === 'number' && isLikeUtc(zone) && (!isNamed || start > Date.UTC(2037) / 1000),
  },
  script('libical', 'gir1.2-ical-3.0, python3-gi', [PYTHON, 'read-libical.py']),
  {
    ...script('icalendar for Ruby', 'ruby-icalendar', ['ruby', 'read-ruby.rb']),
    misreadsBackslash: true,
  },
  {
    ...script('sabre/vobject', 'php-sabre-vobject', ['php', 'read-sabre.php']),
    readsZones: false,
    knowsNames: true,
    // It leaves the backslashes before commas and semicolons.
    misreadsBackslash: true,
  },
]

/** Whether a zone has had the time of UTC in some season of some year. */
function isLikeUtc(zone: string): boolean {
  return Array.from({ length: 280 }, (_, n) => offsetSeconds(Date.UTC(1970, n * 3, 15) / 1000, zone)).includes(0)
}

/** The faults that a program finds in an event, but for those of its own. */
export function faultsOf(judge: Judge, event: ReadEvent, expected: Made | undefined, isNamed: boolean): string[] {
  if (expected === undefined) return [`${event.uid} is no event`]
  const isMisread =
    (isNamed && judge.knowsNames && CHANGED.includes(expected.zone)) || judge.isMisread?.(expected, isNamed)
  return (['title', 'start', 'end'] as const)
    .filter((name) => event[name] !== expected[name])
    .filter((name) => (name === 'title' ? !(judge.misreadsBackslash && expected.title.includes('\\')) : !isMisread))
    .map((name) => `${name} of ${expected.title} is ${event[name]}, not ${expected[name]}`)
}

function script(name: string, from: string, [command, file]: readonly [string, string]): Judge {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const run = (files: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(command, [path, ...files], {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: 170_000,
      // The zone of a reader must not matter.
      env: { ...process.env, TZ: 'Pacific/Auckland', LC_ALL: 'C.UTF-8' },
    })
  const isMissing = ({ error, status }: SpawnSyncReturns<string>) =>
    (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' || status === NOT_INSTALLED
  return {
    name,
    from,
    readsZones: true,
    read(files) {
      const found: Record<string, readonly ReadEvent[]> = {}
      for (let at = 0; at === 0 || at < files.length; at += AT_ONCE) {
        const result = run(files.slice(at, at + AT_ONCE))
        if (isMissing(result)) return null
        if (result.status !== 0) throw new Error(`${name} failed: ${result.error ?? result.stderr.slice(-3000)}`)
        Object.assign(found, JSON.parse(result.stdout))
      }
      return found
    },
  }
}

function readWithIcalJs(files: readonly string[]): ReadCalendars {
  return Object.fromEntries(files.map((file) => [file, readFile(readFileSync(file, 'utf8'))]))
}

function readFile(text: string): ReadEvent[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  ICAL.TimezoneService.reset()
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone)
  const time = (event: ICAL.Component, name: string) => {
    const value = event.getFirstPropertyValue(name)
    if (!(value instanceof ICAL.Time)) return null
    return value.isDate ? value.toString() : value.toUnixTime()
  }
  return calendar.getAllSubcomponents('vevent').map((event) => ({
    uid: String(event.getFirstPropertyValue('uid')),
    title: String(event.getFirstPropertyValue('summary')),
    start: time(event, 'dtstart'),
    end: time(event, 'dtend'),
  }))
}
