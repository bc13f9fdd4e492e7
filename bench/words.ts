/** Numbers that look random and are the same in every run. */
export function generator(seed: number): (below: number) => number {
  let state = seed >>> 0
  // Mulberry32: the low bits of a plain congruence repeat, and what takes turns would always meet the same ones.
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The same values in another order, which is the same in every run. */
export function shuffled<T>(values: readonly T[], random: (below: number) => number): T[] {
  const result = [...values]
  for (let at = result.length - 1; at > 0; at--) {
    const other = random(at + 1)
    ;[result[at], result[other]] = [result[other] as T, result[at] as T]
  }
  return result
}

/** Words of titles; each is in about a quarter of the texts too. */
export const TITLE_WORDS =
  'harbour concert summer night jazz market theatre lecture festival garden open film poetry dance workshop family morning choir exhibition walk history science street food winter light river castle museum library radio circus opera puppet chess craft ceramics photography swimming marathon cycling lantern parade'.split(
    ' ',
  )

/** In every other event. */
export const MUSIC = 'music'

/** How many words a text takes from each vocabulary. */
export const TITLE_WORDS_A_TEXT = 10
export const COMMON_WORDS_A_TEXT = 24

const VOWELS = 'aeiou'
const COMMON_CONSONANTS = 'bcdfglmnprst'
const RARE_CONSONANTS = 'zxwvqjkh'

/** The number in syllables, least first; numbers below the number of such words give different ones. */
function spell(number: number, syllables: number, consonants: string): string {
  let word = ''
  let rest = number
  for (let n = 0; n < syllables; n++) {
    const syllable = rest % (consonants.length * VOWELS.length)
    rest = Math.floor(rest / (consonants.length * VOWELS.length))
    word += `${consonants[Math.floor(syllable / VOWELS.length)]}${VOWELS[syllable % VOWELS.length]}`
  }
  return word
}

/** 1,500 invented words of three syllables. Of 24 in a text, each is in 1.6 % of all events. */
export const COMMON_WORDS: readonly string[] = Array.from({ length: 1500 }, (_, n) =>
  // 12,347 has no factor in common with 60³, so no two words are the same.
  spell((n * 12_347) % 60 ** 3, 3, COMMON_CONSONANTS),
)

/** How many events have the same rare word: the same whatever the number of events, so that answers are of one size. */
const EVENTS_A_RARE_WORD = 5

/** How many rare words there are; odd, so that each is in past and in coming events. */
export function rareWords(events: number): number {
  return Math.ceil(events / EVENTS_A_RARE_WORD) | 1
}

/** The rare word of a number. It shares three letters in a row with about one event in a hundred. */
export function rareWord(number: number): string {
  return spell((number * 1_234_567) % 40 ** 4, 4, RARE_CONSONANTS)
}

/** What to search for that more than 1 % of events have: words, and parts of at least four letters, as a search finds both. */
export function commonTerms(): string[] {
  const terms = new Set([MUSIC, ...TITLE_WORDS])
  for (const word of COMMON_WORDS) {
    for (let length = 4; length <= word.length; length++) {
      for (let from = 0; from + length <= word.length; from++) terms.add(word.slice(from, from + length))
    }
  }
  return [...terms]
}
