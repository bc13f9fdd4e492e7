import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** How far the heap may grow from one collection of garbage to the next, in percent of what is in use. */
const GROWTH = 50

/**
 * Has garbage collected early and cheaply. Left to itself, V8 lets a heap of this size grow to three times what is in use;
 * and where objects of one line of code lived long for a while, it makes all further ones among the old. What such an object
 * points to counts as used until the old are collected, so that of every answer a kilobyte or two was: twice a second the
 * whole heap had to be looked through, in threads of their own, for an eighth of the time of all.
 *
 * It is asked for when all is loaded: on the command line it makes a start take 50 ms longer, probably since compiled
 * code, Node's own as well, is kept for certain flags and has to be compiled anew for others.
 */
export function tuneHeap(): void {
  flushCompileCache()
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`)
  setFlagsFromString('--no-allocation-site-pretenuring')
}
