import { atom } from './atom.ts'
import { csv } from './csv.ts'
import type { Format } from './feed.ts'
import { icalendar } from './icalendar.ts'
import { jsonFeed } from './json-feed.ts'
import { restJson } from './rest-json.ts'
import { rss } from './rss.ts'

/**
 * Every format that events are written in. Routes, links in pages, the flags of `kalends export` and tests come from this
 * list, in this order; a guard compares the documents with it.
 */
export const FORMATS: readonly Format[] = [icalendar, rss, atom, jsonFeed, csv, restJson]

/** The formats of feeds. */
export function feedFormats(of: 'lists' | 'events'): readonly Format[] {
  return FORMATS.filter(({ feedsOf }) => feedsOf.includes(of))
}

/** The formats of exports, by name. */
export const EXPORTS = new Map(FORMATS.filter(({ isExport }) => isExport).map((format) => [format.extension, format]))
