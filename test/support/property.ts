import fc from 'fast-check'

/** Property tests run on the same values every time, so that a change is judged by itself; KALENDS_TEST_SEED explores others. */
fc.configureGlobal({ seed: Number(process.env.KALENDS_TEST_SEED ?? 2031) })

export default fc
