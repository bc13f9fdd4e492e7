import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readEntry } from '../../src/calendar/calendar-entry.ts'
import { zoneDescribed, zoneNamed } from '../../src/calendar/calendar-zones.ts'
import { fromWall, toWall } from '../../src/calendar/civil.ts'
import { type Component, ComponentReader, first } from '../../src/calendar/components.ts'
import { escapeText, joinTexts, linesOf, writeLine } from '../../src/calendar/content-lines.ts'
import { expand } from '../../src/calendar/recurrence.ts'
import { hostileText as hostile, keptText } from '../support/hostile-text.ts'
import fc from '../support/property.ts'

const FOLDER = join(import.meta.dirname, 'golden')
/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000

function read(text: string) {
  const reader = new ComponentReader()
  const components: Component[] = []
  for (const line of linesOf(text)) {
    const component = reader.push(line)
    if (component !== null) components.push(component)
  }
  const descriptions = new Map(components.map((component) => [first(component, 'TZID')?.value ?? '', component]))
  const named = (tzid: string) => {
    const description = descriptions.get(tzid)
    return zoneNamed(tzid) ?? (description === undefined ? null : zoneDescribed(description, 'UTC', NOW))
  }
  const shown = (reader.zone === null ? null : zoneNamed(reader.zone)) ?? 'America/New_York'
  return components
    .filter(({ name }) => name === 'VEVENT')
    .map((component) => readEntry(component, { named, shown, floating: 'America/New_York' }))
}

/** An entry as it is compared: times as people read them. */
function shown({ recurrence, occurrence: _, ...entry }: ReturnType<typeof read>[number]): object {
  const horizon = fromWall('2033-01-01 00:00:00')
  return {
    ...entry,
    start: toWall(entry.start),
    end: toWall(entry.end),
    times: recurrence === null ? [] : expand(recurrence, horizon).starts.map(toWall),
  }
}

describe('calendars of other programs', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ics'))) {
    it(`are read as they are meant: ${file}`, () => {
      const expected = join(FOLDER, file.replace('.ics', '.json'))
      const found = JSON.parse(JSON.stringify(read(readFileSync(join(FOLDER, file), 'utf8')).map(shown)))
      assert.deepEqual(found, JSON.parse(readFileSync(expected, 'utf8')))
    })
  }
})

describe('names of zones', () => {
  const cases: [string, string | null][] = [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['pacific standard time', 'America/Los_Angeles'],
    ['Pacific Daylight Time', 'America/Los_Angeles'],
    ['/freeassociation.sourceforge.net/Tzfile/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
    ['/mozilla.org/20050126_1/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['"Asia/Tokyo"', 'Asia/Tokyo'],
    ['UTC', 'UTC'],
    ['GMT+01:00', 'UTC+1'],
    ['UTC-0330', 'UTC-3.5'],
    ['UTC+5.5', 'UTC+5.5'],
    ['Mars/Olympus', null],
    ['', null],
    ['x'.repeat(5000), null],
  ]
  for (const [tzid, zone] of cases) {
    it(`${tzid.slice(0, 60) || 'nothing'} means ${zone}`, () => {
      const found = zoneNamed(tzid)
      if (zone === 'America/Argentina/Buenos_Aires') assert.match(String(found), /Buenos_Aires$/)
      else assert.equal(found, zone)
    })
  }

  it('are those of Windows, all of which exist', async () => {
    const { WINDOWS_ZONES } = await import('../../src/calendar/windows-zones.ts')
    for (const name of Object.keys(WINDOWS_ZONES)) assert.notEqual(zoneNamed(name), null, name)
  })
})

describe('entries', () => {
  const kept = (text: string) => keptText(text).trim()

  it('carry hostile text there and back, in every field', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (title, description, location, category) => {
        const text = [
          writeLine('BEGIN', 'VCALENDAR'),
          writeLine('BEGIN', 'VEVENT'),
          writeLine('UID', escapeText(`u${title}`)),
          writeLine('DTSTART', '20310610', { VALUE: 'DATE' }),
          writeLine('SUMMARY', escapeText(title)),
          writeLine('DESCRIPTION', escapeText(description)),
          writeLine('LOCATION', escapeText(location)),
          writeLine('CATEGORIES', joinTexts([category, 'Second'])),
          writeLine('ORGANIZER', 'mailto:x@example.org', { CN: `N${location}` }),
          writeLine('END', 'VEVENT'),
          writeLine('END', 'VCALENDAR'),
        ].join('')
        const entries = read(text)
        assert.equal(entries.length, 1)
        const [entry] = entries
        assert.equal(entry?.title, kept(title))
        assert.equal(entry?.uid, kept(`u${title}`))
        assert.equal(entry?.description.text, kept(description))
        assert.equal(entry?.location, kept(location))
        assert.equal(entry?.organizer?.name, kept(`N${location}`))
        assert.deepEqual(entry?.categories, [kept(category), 'Second'].filter(Boolean))
      }),
    )
  })

  it('are read in bounded time, whatever is in the file', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'BEGIN:VEVENT',
            'END:VEVENT',
            'BEGIN:VTIMEZONE',
            'END:VTIMEZONE',
            'BEGIN:X',
            'END:X',
            'BEGIN:VCALENDAR',
            'END:VCALENDAR',
            'DTSTART:20310610',
            'UID:x',
            'RRULE:FREQ=DAILY',
            ' folded',
            ';;;',
            'TZID:x',
            'BEGIN:STANDARD',
            'END:STANDARD',
          ),
          { maxLength: 200 },
        ),
        (lines) => {
          const reader = new ComponentReader()
          for (const line of linesOf(lines.join('\n'))) reader.push(line)
          reader.end()
        },
      ),
    )
  })
})
