import type { CountChanges, Dependencies, EventScope } from '../../domain/dependencies.ts'
import { etagLine, tagWithCounts } from '../conditional.ts'
import type { CachedResponse } from './cached-response.ts'

/** What a cached response shows, and the tag of all that but the counts. */
export interface StoredDependencies extends Dependencies {
  readonly tag: string
}

/** As one line. It is written for every response, so not as JSON; the list is the same for many. */
export function writeDependencies({ list, events, terms }: Dependencies, tag: string): string {
  return `${events.join()}\t${terms.join()}\t${list === null ? '' : textOf(list)}\t${tag}`
}

export function readDependencies(line: string): StoredDependencies {
  const [events = '', terms = '', list = '', tag = ''] = line.split('\t')
  return {
    events: numbersIn(events),
    terms: numbersIn(terms),
    list: list === '' ? null : JSON.parse(list),
    tag,
  }
}

const listTexts = new WeakMap<EventScope, string>()

function textOf(list: EventScope): string {
  const text = listTexts.get(list) ?? JSON.stringify(list)
  listTexts.set(list, text)
  return text
}

function numbersIn(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number)
}

/** Key of a count in JSON. Inside a text its quotes would be escaped. */
const KEY = Buffer.from('"count":')
/** Length of a tag without its revision. */
const TAG_LENGTH = 17

/** Where the digits of a count are in a body. */
interface Place {
  readonly from: number
  readonly to: number
}

/** A response with other counts of the terms that it shows; null if they are not found in it. */
export function withCounts(
  response: CachedResponse,
  { terms, tag }: StoredDependencies,
  added: CountChanges,
  now: Date,
): CachedResponse | null {
  const places = countsIn(response.body, terms.length)
  const counts = places?.map((place, n) => numberAt(response.body, place) + (added.get(terms[n] as number) ?? 0))
  if (places === null || counts === undefined || counts.some((count) => count < 0)) return null
  const counted = tagWithCounts(tag, counts, response.tag.slice(0, -TAG_LENGTH))
  return {
    ...response,
    body: bodyWith(response, places, counts),
    tag: counted,
    lines: response.lines
      .replace(/\r\nlast-modified: [^\r]*/, `\r\nlast-modified: ${now.toUTCString()}`)
      .replace(etagLine(response.tag), etagLine(counted)),
    variants: {},
  }
}

/** Places of the counts in JSON; null unless there are as many as expected. */
function countsIn(body: Buffer, expected: number): Place[] | null {
  const places: Place[] = []
  for (let key = body.indexOf(KEY); key !== -1; key = body.indexOf(KEY, key + KEY.length)) {
    const from = key + KEY.length
    let to = from
    while (isDigit(body[to])) to++
    if (to === from || places.push({ from, to }) > expected) return null
  }
  return places.length === expected ? places : null
}

const isDigit = (byte = 0) => byte >= 0x30 && byte <= 0x39

function numberAt(body: Buffer, { from, to }: Place): number {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + (body[at] as number) - 0x30
  return number
}

/** The body with these counts: in the same memory, if it is that of this response alone and no count has got longer or shorter. */
function bodyWith({ body, release }: CachedResponse, places: readonly Place[], counts: readonly number[]): Buffer {
  const isAsLong = places.every(({ from, to }, n) => String(counts[n]).length === to - from)
  if (isAsLong) {
    const revised = release === undefined ? Buffer.from(body) : body
    places.forEach(({ from }, n) => void revised.write(String(counts[n]), from, 'latin1'))
    return revised
  }
  const pieces = places.flatMap(({ from }, n) => [
    body.subarray(places[n - 1]?.to ?? 0, from),
    Buffer.from(String(counts[n])),
  ])
  return Buffer.concat([...pieces, body.subarray(places.at(-1)?.to ?? 0)])
}
