/**
 * Current time in whole Unix seconds. With `day`, the caller uses only the date of the site, so its answer is valid
 * until midnight. Tests set their own clock.
 */
export type Clock = (precision?: 'day') => number

export const systemClock: Clock = () => Math.floor(Date.now() / 1000)
