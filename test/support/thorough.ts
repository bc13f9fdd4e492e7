/** Whether tests try every case: in `npm run test:all`, and for a file that is named. `npm test` tries some of many like cases. */
export const IS_THOROUGH = process.env.KALENDS_TEST_THOROUGH !== 'no'

/** For `skip` of a test that takes long, and of which `npm test` has a short one. */
export const LONG = !IS_THOROUGH && 'long: npm run test:all'

/** All of some like cases, or the first few. */
export function some<T>(cases: readonly T[], few: number): readonly T[] {
  return IS_THOROUGH ? cases : cases.slice(0, few)
}

/** How often random cases are tried: so often, or a few times. */
export function times(all: number, few: number): number {
  return IS_THOROUGH ? all : few
}
