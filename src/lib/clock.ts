/** Tells the time in whole Unix seconds. Tests bring their own. */
export type Clock = () => number

/** The machine's clock. */
export const systemClock: Clock = () => Math.floor(Date.now() / 1000)
