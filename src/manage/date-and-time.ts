import type { StaffContext } from './screen.ts'

/** A moment in the zone of the site. */
export function when({ locale, call }: StaffContext, instant: number): string {
  const zone = call.scope.site.timezone
  const options = { dateStyle: 'medium', timeStyle: 'short', ...(/^UTC/.test(zone) ? {} : { timeZone: zone }) } as const
  return new Intl.DateTimeFormat(locale, options).format(instant * 1000)
}
