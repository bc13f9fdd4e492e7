import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import type { Doubt } from '../../calendar/entry-times.ts'
import { asHtml, encode, textLines } from '../../lib/html.ts'
import { MAX_HTML, MAX_NAME } from '../../schema/value-readers.ts'

/** Limit on HTML that is read for a title, in characters. */
const MAX_READ = 20_000

/** How much of a title a note has, in characters. */
const MAX_TOLD = 80

/** An entry with texts that an event may have. What was changed for that is told, unless the entry is cancelled. */
export function withTexts(entry: CalendarEntry, doubts: Doubt[]): CalendarEntry {
  const { title: given, description, cancelled } = entry
  const title = titleIn(cut(given === '' ? otherTitle(entry) : given, MAX_NAME))
  const rest = given.slice(title.length).trim()
  const { text, isHtml } = withRest(description, rest)
  const html = isHtml ? text : encode(text)
  const isLong = html.length > MAX_HTML
  if (!cancelled) {
    if (given === '') doubts.push({ problem: 'entry_without_title', fill: { title: title.slice(0, MAX_TOLD) } })
    if (rest !== '') doubts.push({ problem: 'entry_title_cut', fill: {} })
    if (isLong) doubts.push({ problem: 'entry_description_cut', fill: { most: String(MAX_HTML) } })
  }
  return { ...entry, title, description: isLong ? { text: cutHtml(html), isHtml: true } : { text, isHtml } }
}

/** SUMMARY is optional (RFC 5545 §3.6.1). */
function otherTitle({ description: { text, isHtml }, location, categories }: CalendarEntry): string {
  const lines = isHtml ? textLines(text.slice(0, MAX_READ)) : text
  const found = [lines, location, ...categories].map((one) => /\S.*/.exec(one)?.[0].trim() ?? '')
  return found.find((line) => line !== '') ?? 'Event'
}

/** As much of a text as a title may have, which is written as HTML: six characters for one at most. */
function titleIn(text: string): string {
  const over = asHtml(text).length - MAX_NAME
  return over <= 0 ? text.trim() : titleIn(cut(text, text.length - Math.ceil(over / 6)))
}

function withRest({ text, isHtml }: CalendarEntry['description'], rest: string): CalendarEntry['description'] {
  if (rest === '') return { text, isHtml }
  return { text: isHtml ? `<p>${encode(rest)}</p>\n${text}` : `${rest}\n\n${text}`, isHtml }
}

/** As much HTML as a description may have, without half a tag or entity at its end. */
function cutHtml(html: string): string {
  return cut(html, MAX_HTML).replace(/<[^<>]*$|&[#\w]*$/, '')
}

/** The first characters of a text, and no half of one. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}
