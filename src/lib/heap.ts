import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** How far the heap may grow from one collection of garbage to the next, in percent of what is in use. */
const GROWTH = 50

/**
 * Has garbage collected before there is much of it: left to itself, V8 lets a heap of this size grow to three times what is
 * in use. It is asked for when all is loaded: on the command line it makes a start take 50 ms longer, probably since compiled
 * code, Node's own as well, is kept for certain flags and has to be compiled anew for others.
 */
export function growSlowly(): void {
  flushCompileCache()
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`)
}
