/** An end of an event before this time belongs to the day before. */
export const SMALL_HOURS = '06:00:00'
