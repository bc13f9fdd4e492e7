import fc from 'fast-check'

/** Property tests run on the same values every time, so that a change is judged by itself; KALENDS_TEST_SEED explores others. */
fc.configureGlobal({ seed: Number(process.env.KALENDS_TEST_SEED ?? 2031) })

export default fc

const SURROGATES = { first: 0xd800, count: 0x800 }

/** Any character. `unit: 'binary'` of fast-check has the same, but takes a second to list them all. */
export const CHARACTER = fc
  .nat({ max: 0x10_ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count))

/** Addresses of websites. `webUrl` of fast-check lists all characters, too. */
export const WEBSITE = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.array(CHARACTER))
  .map(([scheme, domain, path]) => `${scheme}://${domain}/${path.map(encodeURIComponent).join('')}`)
