/**
 * Tells the time in whole Unix seconds. Who says `day` looks at no more than the day that it is on the site: an answer
 * made from it stays true until midnight. Tests bring their own clock.
 */
export type Clock = (precision?: 'day') => number

/** The machine's clock. */
export const systemClock: Clock = () => Math.floor(Date.now() / 1000)
