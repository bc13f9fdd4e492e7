import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const loaders: (() => unknown)[] = []

/** Lazily computed value. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The same for work that would fail again: its error is remembered. */
export function onceWithError<T extends object>(make: () => T): () => T {
  const outcome = once(() => {
    try {
      return { value: make() }
    } catch (error) {
      return { error }
    }
  })
  return () => {
    const made = outcome()
    if ('error' in made) throw made.error
    return made.value
  }
}

/** A package that is not needed at startup: loaded on first use, or in the background soon after. */
export function lazyPackage<Package extends object>(name: string): () => Package {
  const load = once(() => require(name) as Package)
  loaders.push(load)
  return load
}

/** Registers modules to load in the background, so that the first request that needs them does not wait. */
export function preload(load: () => Promise<unknown>): void {
  // The next import reports the error.
  loaders.push(() => load().catch(() => {}))
}

/** Pause before each package, so that the first requests are not held up: at least so long, in milliseconds, and a multiple of what the last one took. */
const MIN_PAUSE = 20
const PAUSE = 2

/** Loads registered packages one at a time, then calls `done`. */
export function loadLazyPackages(done: () => void, took = 0): void {
  const load = loaders.shift()
  if (load === undefined) done()
  else
    setTimeout(
      () => {
        const began = performance.now()
        try {
          load()
        } catch {
          // The first use reports the error.
        }
        loadLazyPackages(done, performance.now() - began)
      },
      Math.max(MIN_PAUSE, PAUSE * took),
    ).unref()
}
