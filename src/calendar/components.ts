import { type ContentLine, readContentLine, type UnfoldedLine } from './content-lines.ts'

/** A component of iCalendar that is read whole: an event, or the description of a zone. */
export interface Component {
  /** `VEVENT`, `VTIMEZONE`. */
  readonly name: string
  /** Its lines by name, in order. */
  readonly properties: ReadonlyMap<string, readonly ContentLine[]>
  /** The components inside it, such as `STANDARD` and `DAYLIGHT`. */
  readonly parts: readonly Component[]
  /** Where it begins in the file. */
  readonly line: number
  /** How many characters it has, to bound what is kept. */
  readonly size: number
  /** What is wrong with it as a whole. */
  readonly fault: 'unfinished' | 'too_large' | null
}

/** The longest component that is read, in characters; of a longer one, only its first part is kept. */
const MAX_CHARACTERS = 2_000_000

/** The longest address of a file, in characters. */
const MAX_ADDRESS = 2000

/** How deep components may lie inside each other. */
const DEEPEST = 5

/** How many values the parameters of a line may have. */
const MAX_VALUES = 200

/** How many lines of one name a component may have, and how many components inside it: each is looked at when it is read. */
const MAX_LINES = 5000
const MAX_PARTS = 500

/** What is read; everything else in a calendar (to-dos, journals, alarms) is passed over. */
const READ = new Set(['VEVENT', 'VTIMEZONE'])

/** The lines that are read of it: others, such as those of a thousand guests, are not kept. */
const LINES = new Set(
  `UID SUMMARY DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID DESCRIPTION X-ALT-DESC LOCATION GEO ORGANIZER
  CATEGORIES RELATED-TO URL IMAGE ATTACH STATUS CLASS X-KALENDS-FIELDS X-KALENDS-RRULE X-KALENDS-RDATE X-KALENDS-TERM TZID X-LIC-LOCATION TZID-ALIAS-OF
  X-WR-TIMEZONE TZOFFSETFROM TZOFFSETTO SEQUENCE DTSTAMP LAST-MODIFIED`.split(/\s+/),
)

interface Open {
  readonly name: string
  readonly properties: Map<string, ContentLine[]>
  readonly parts: Component[]
  readonly line: number
}

/** Puts components together from lines that arrive one after another, in memory for one component. */
export class ComponentReader {
  readonly #open: Open[] = []
  #size = 0
  #tooLarge = false
  /** Of a component that is passed over, how deep we are in it. */
  #skipping = 0
  /** Whether there was a calendar at all. */
  isCalendar = false
  /** The zone that the calendar says it is shown in. */
  zone: string | null = null

  /** Takes a line; answers the component that it ends, if it ends one. */
  push(unfolded: UnfoldedLine): Component | null {
    const line = readContentLine(unfolded, MAX_VALUES)
    if (line === null) return null
    if (line.name === 'BEGIN') return this.#begin(componentName(line), line.line)
    if (line.name === 'END') return this.#end(componentName(line))
    if (this.#skipping === 0) this.#keep(line, unfolded.text.length)
    return null
  }

  /** The component that the file ends in the middle of. */
  end(): Component | null {
    const [outer] = this.#open
    this.#open.length = 0
    return outer === undefined ? null : this.#finished(outer, 'unfinished')
  }

  #begin(name: string, line: number): Component | null {
    if (name === 'VCALENDAR') {
      this.isCalendar = true
      this.zone = null
      return this.end()
    }
    // An event never lies inside another: the end of the first was lost.
    const unfinished = name === 'VEVENT' ? this.end() : null
    if (name === 'VEVENT') this.#skipping = 0
    const inside = this.#open.length > 0
    if (this.#skipping > 0 || (!inside && !READ.has(name)) || this.#open.length >= DEEPEST) this.#skipping++
    else {
      if (!inside) {
        this.#size = 0
        this.#tooLarge = false
      }
      this.#open.push({ name, properties: new Map(), parts: [], line })
    }
    return unfinished
  }

  #end(name: string): Component | null {
    if (name === 'VCALENDAR') {
      this.#skipping = 0
      return this.end()
    }
    if (this.#skipping > 0) {
      this.#skipping--
      return null
    }
    const ended = this.#open.pop()
    if (ended === undefined) return null
    const component = this.#finished(ended, this.#tooLarge ? 'too_large' : ended.name === name ? null : 'unfinished')
    const outer = this.#open.at(-1)
    if (outer === undefined) return component
    // Of an event nothing inside it is read, such as an alarm.
    if (outer.name !== 'VEVENT') outer.parts.push(component)
    if (outer.parts.length > MAX_PARTS) this.#tooLarge = true
    return null
  }

  #keep(line: ContentLine, size: number): void {
    const open = this.#open.at(-1)
    if (open === undefined) {
      if (line.name === 'X-WR-TIMEZONE') this.zone ??= line.value
      return
    }
    this.#size += size
    if (this.#size > MAX_CHARACTERS) this.#tooLarge = true
    // Files may be megabytes of data that nobody asks for; what is short may be the address of one.
    const isData = (line.name === 'ATTACH' || line.name === 'IMAGE') && line.value.length > MAX_ADDRESS
    if (this.#tooLarge || isData || !LINES.has(line.name)) return
    const lines = open.properties.get(line.name)
    if (lines === undefined) open.properties.set(line.name, [line])
    else if (lines.push(line) > MAX_LINES) this.#tooLarge = true
  }

  #finished({ name, properties, parts, line }: Open, fault: Component['fault']): Component {
    return { name, properties, parts, line, size: this.#size, fault }
  }
}

/** The name of the component that a line begins or ends. */
function componentName({ value }: ContentLine): string {
  return value.slice(0, 100).trim().toUpperCase()
}

/** The first line of a name. */
export function first(component: Component, name: string): ContentLine | undefined {
  return component.properties.get(name)?.[0]
}
