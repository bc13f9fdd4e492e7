import type { Site } from '../domain/scope.ts'

/** Days of the week in locales, from Monday. */
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/**
 * Locale of a language on a site. The clock and the first day of the week that the site has set are part of it, as
 * extensions of Unicode (`fr-u-fw-sun-hc-h12`), so that Intl and browsers follow them.
 */
export function localeOf(
  language: string,
  { timezone, ...site }: Pick<Site, 'timezone' | 'clock' | 'weekStart'>,
): string {
  const set = settingsOf(site)
  return `${regional(language, timezone)}${set === '' ? '' : `-u-${set}`}`
}

/** The settings of a site as extensions of a locale; empty without any. */
export function settingsOf({ clock, weekStart }: Pick<Site, 'clock' | 'weekStart'>): string {
  const parts = [
    weekStart !== null && `fw-${DAYS[weekStart - 1]}`,
    clock !== null && `hc-${clock === 12 ? 'h12' : 'h23'}`,
  ]
  return parts.filter((part) => part !== false).join('-')
}

/** US English only for calendars in the Americas: clocks, dates and weeks differ. */
export function regional(language: string, zone: string): string {
  if (language !== 'en') return language
  return /^(America|US)\/|^Pacific\/Honolulu$/.test(zone) ? 'en-US' : 'en-GB'
}
