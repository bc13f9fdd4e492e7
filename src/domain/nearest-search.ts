import { LONG_WORD, SHORTEST, slipsBetween, withOneSlip } from '../lib/near-words.ts'
import { foldWords, replaceWords, searchedWords } from '../lib/words.ts'
import type { Tx } from '../storage/dialect.ts'
import { type EventFilter, MAX_BY_ID } from '../storage/event-filter.ts'
import * as events from '../storage/events.ts'
import { findHaving, someHaving, type WordHits } from '../storage/word-hits.ts'
import { firstWords, wordsBeginning, wordsEnding } from '../storage/word-search.ts'
import { filterOf, readListParameters } from './event-filter.ts'
import type { Payload, Scope } from './scope.ts'

/** Words of a search that is corrected at most: each is looked up by itself. */
const MAX_WORDS = 6
/** Words of a search that are corrected at most. */
const MAX_CORRECTED = 3
/** Stored words that are compared with a long one. */
const MAX_COMPARED = 3000
/** Words that are tried at most, in place of one. */
const MAX_TRIED = 8

/**
 * The search that was probably meant, for one that finds nothing: words that no event of the list has are replaced by
 * the nearest that one has. Null if there are none. A word is suggested only if it finds an event that the reader may
 * see, so nothing hidden shows.
 */
export async function nearestSearch(scope: Scope, query: Payload): Promise<string | null> {
  const { values, problems } = readListParameters(scope, query)
  const { search } = values
  const words = searchedWords(search ?? '')
  if (!search || words.length > MAX_WORDS || Object.keys(problems).length > 0) return null
  return scope.db.readMany(async (tx) => {
    const filter = { ...(await filterOf(tx, scope, { ...values, search: null }, problems)), near: null }
    if (Object.keys(problems).length > 0) return null
    const known: string[] = []
    const unknown: string[] = []
    for (const word of words) {
      // Short words are not corrected, so they are not looked up: many events have them.
      if ([...word].length < SHORTEST || (await isFound(tx, filter, word))) known.push(word)
      else unknown.push(word)
    }
    if (unknown.length === 0 || unknown.length > MAX_CORRECTED) return null
    const corrected = new Map<string, string>()
    let among = known.length === 0 ? null : await listed(tx, filter, await findHaving(tx, known, filter.visibility))
    for (const word of unknown) {
      const nearest = await nearestWord(tx, filter, word, among)
      if (nearest === null) return null
      corrected.set(word, nearest.word)
      if (corrected.size < unknown.length) among = await listed(tx, filter, nearest.hits, among)
    }
    const meant = replaceWords(search, corrected)
    return foldWords(meant) === foldWords(search) ? null : meant
  })
}

/** Whether an event of the list has a word. If many events have it, some of them answer that. */
async function isFound(tx: Tx, filter: EventFilter, word: string): Promise<boolean> {
  const some = await someHaving(tx, word, filter.visibility, MAX_BY_ID)
  if (await events.isAny(tx, { ...filter, found: some.ids })) return true
  return !some.isAll && events.isAny(tx, { ...filter, words: await findHaving(tx, [word], filter.visibility) })
}

/** Ids of the events of a list that have words; only of those among others, if given. */
async function listed(
  tx: Tx,
  filter: EventFilter,
  hits: WordHits,
  among: ReadonlySet<number> | null = null,
): Promise<ReadonlySet<number>> {
  return new Set(
    among === null ? await events.ids(tx, { ...filter, words: hits }) : hits.ids.filter((id) => among.has(id)),
  )
}

/** The nearest word that finds an event, among those with the other words: the fewest slips, then the most events. */
async function nearestWord(
  tx: Tx,
  filter: EventFilter,
  word: string,
  among: ReadonlySet<number> | null,
): Promise<{ readonly word: string; readonly hits: WordHits } | null> {
  if (among?.size === 0) return null
  for (const group of await candidates(tx, word)) {
    let best: { readonly word: string; readonly hits: WordHits; readonly count: number } | null = null
    for (const candidate of group.slice(0, MAX_TRIED)) {
      const hits = await findHaving(tx, [candidate], filter.visibility)
      const count = among === null ? await counted(tx, filter, hits) : hits.ids.filter((id) => among.has(id)).length
      if (count > (best?.count ?? 0)) best = { word: candidate, hits, count }
    }
    if (best !== null) return best
  }
  return null
}

async function counted(tx: Tx, filter: EventFilter, hits: WordHits): Promise<number> {
  return hits.ids.length === 0 ? 0 : events.count(tx, { ...filter, words: hits })
}

/** Stored words near a word, in groups: one slip; the beginning of a longer word with one slip; two slips. */
async function candidates(tx: Tx, word: string): Promise<string[][]> {
  const length = [...word].length
  if (length < SHORTEST || !/^\p{L}+$/u.test(word)) return []
  const near = withOneSlip(word)
  const first = await firstWords(tx, near)
  const exact = first.filter((one) => one.word === one.beginning).map((one) => one.word)
  const longer = length > SHORTEST ? first.filter((one) => one.word !== one.beginning).map((one) => one.word) : []
  const far = length < LONG_WORD ? [] : await twoSlips(tx, word)
  return [exact, longer, far].map((group) => inOrder(word, group))
}

/** Words two slips away: of a word in halves, the first has one slip at most, or the second has none. */
async function twoSlips(tx: Tx, word: string): Promise<string[]> {
  const half = [...word].slice(0, Math.ceil([...word].length / 2)).join('')
  const found = [
    ...(await wordsBeginning(tx, [half, ...withOneSlip(half)], MAX_COMPARED)),
    ...(await wordsEnding(tx, word.slice(half.length), MAX_COMPARED)),
  ]
  return found.filter((one) => slipsBetween(word, one, 2) <= 2)
}

/** Words with the same first letter come first: it is seldom wrong. */
function inOrder(word: string, found: readonly string[]): string[] {
  const first = (one: string) => (one[0] === word[0] ? 0 : 1)
  return [...new Set(found)].sort((one, other) => first(one) - first(other) || (one < other ? -1 : 1))
}
