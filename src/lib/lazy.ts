import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const loaders: (() => unknown)[] = []

/** What is made when it is first asked for, and then kept. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** A package that a service can start without: it is loaded when it is first used, or as soon as there is time. */
export function lazyPackage<Package extends object>(name: string): () => Package {
  const load = once(() => require(name) as Package)
  loaders.push(load)
  return load
}

/** Loads modules that the first answer does not need as soon as there is time: whoever needs them should not wait for all. */
export function preload(load: () => Promise<unknown>): void {
  // Whoever asks for them next is told what is wrong.
  loaders.push(() => load().catch(() => {}))
}

/** Nobody should wait for it who has waited for the service to start, in milliseconds. */
const PAUSE = 100

/** Loads what was left for later, one package at a time, and tells when that is done. */
export function loadLazyPackages(done: () => void): void {
  const load = loaders.shift()
  if (load === undefined) done()
  else
    setTimeout(() => {
      try {
        load()
      } catch {
        // It is loaded when it is used: whoever needs it is told what is wrong.
      }
      loadLazyPackages(done)
    }, PAUSE).unref()
}
