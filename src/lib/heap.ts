import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** How far the heap may grow from one collection of garbage to the next, in percent of what is in use. */
const GROWTH = 50

/**
 * Has garbage collected before there is much of it: left to itself, V8 lets a heap of this size grow to four times what is in use.
 * It is asked for when all is loaded, not on the command line: compiled code, Node's own as well, is kept for certain flags
 * and would have to be compiled anew for others.
 */
export function growSlowly(): void {
  flushCompileCache()
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`)
}
