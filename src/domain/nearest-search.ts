import { LONG_WORD, SHORTEST, slipsBetween, withOneSlip } from '../lib/near-words.ts'
import { foldWords, replaceWords, searchedWords } from '../lib/words.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import * as events from '../storage/events.ts'
import { findHaving, firstWords, planSearch, wordsBeginning, wordsEnding } from '../storage/word-search.ts'
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
      if ([...word].length < SHORTEST || (await countHaving(tx, filter, [word])) > 0) known.push(word)
      else unknown.push(word)
    }
    if (unknown.length === 0 || unknown.length > MAX_CORRECTED) return null
    const corrected = new Map<string, string>()
    for (const word of unknown) {
      const nearest = await nearestWord(tx, filter, word, [...known, ...corrected.values()])
      if (nearest === null) return null
      corrected.set(word, nearest)
    }
    const meant = replaceWords(search, corrected)
    return foldWords(meant) === foldWords(search) ? null : meant
  })
}

async function countHaving(tx: Tx, filter: EventFilter, words: readonly string[]): Promise<number> {
  const planned = await planSearch(tx, words)
  const found = await findHaving(tx, planned, filter.visibility, MAX_COUNTED)
  return found?.length === 0 ? 0 : events.count(tx, { ...filter, words: planned, found })
}

/** Events that are counted by id. */
const MAX_COUNTED = 2000

/** The nearest word that, with the others, finds an event: the fewest slips, then the most events. */
async function nearestWord(
  tx: Tx,
  filter: EventFilter,
  word: string,
  others: readonly string[],
): Promise<string | null> {
  for (const group of await candidates(tx, word)) {
    let best: { readonly word: string; readonly count: number } | null = null
    for (const candidate of group.slice(0, MAX_TRIED)) {
      const count = await countHaving(tx, filter, [...others, candidate])
      if (count > (best?.count ?? 0)) best = { word: candidate, count }
    }
    if (best !== null) return best.word
  }
  return null
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
