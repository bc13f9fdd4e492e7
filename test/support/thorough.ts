/** Whether tests try every case: in `npm run test:all`, and for a file that is named. `npm test` tries some of many like cases. */
export const IS_THOROUGH = process.env.KALENDS_TEST_THOROUGH !== 'no'

/** All of some like cases, or the first few. */
export function some<T>(cases: readonly T[], few: number): readonly T[] {
  return IS_THOROUGH ? cases : cases.slice(0, few)
}
