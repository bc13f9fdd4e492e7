import { PROGRAM_NAME } from './config/calendar.ts'
import type { Config, SettingName } from './config.ts'
import type { StoredSettings } from './domain/current-site.ts'
import { LogoFile } from './domain/logo.ts'
import type { Site } from './domain/scope.ts'
import { wordpressRoot } from './rest/wordpress/root.ts'
import { type SettingField, WEEKDAYS } from './schema/settings.ts'

/** The settings of the process that are also kept in the database, by the name of their field. */
const KEPT = {
  site_name: 'siteName',
  logo: 'logo',
  accent: 'accent',
  timezone: 'timezone',
  currency: 'currency',
  week_start: 'weekStart',
  clock: 'clock',
  tiles: 'tiles',
  suggest: 'suggest',
  date_order: 'dateOrder',
  language: 'languages',
} as const satisfies Record<SettingField, SettingName>

/** The site: a variable or flag wins over the database, and that over the default. */
export function siteOf(config: Config, stored: StoredSettings = { isSetUp: false }): Site {
  const fixed = Object.fromEntries(
    Object.entries(KEPT).flatMap(([field, name]) =>
      config.given[name] === undefined ? [] : [[field, config.given[name]]],
    ),
  )
  const { baseUrl, siteName, stylesheet, maxPerPage, familyTerms, seriesYears, mounts } = config
  const unless = <T>(field: SettingField, value: T | null | undefined): T | null =>
    fixed[field] === undefined ? (value ?? null) : null
  const logo = unless('logo', stored.logo)
  const name = unless('site_name', stored.site_name) ?? siteName
  const weekStart = unless('week_start', stored.week_start)
  const clock = unless('clock', stored.clock)
  return {
    timezone: unless('timezone', stored.timezone) ?? config.timezone,
    currency: unless('currency', stored.currency) ?? config.currency,
    clock: clock === null ? config.clock : clock === '12' ? 12 : 24,
    weekStart: weekStart === null ? config.weekStart : WEEKDAYS.indexOf(weekStart) + 1,
    home: baseUrl,
    name,
    isNamed: name !== PROGRAM_NAME,
    languages: languagesOf(config.languages, unless('language', stored.language)),
    maxPerPage,
    familyTerms,
    seriesYears,
    wordpressRoot: mounts.map(wordpressRoot).find((found) => found !== null) ?? null,
    suggest: unless('suggest', stored.suggest) ?? config.suggest,
    dateOrder: unless('date_order', stored.date_order) ?? config.dateOrder,
    isSetUp: stored.isSetUp,
    fixed,
    design: {
      logo: logo instanceof LogoFile ? '' : (logo ?? config.logo),
      logoFile: logo instanceof LogoFile ? logo : null,
      accent: unless('accent', stored.accent) ?? config.accent,
      stylesheet,
      tiles: unless('tiles', stored.tiles) ?? config.tiles,
    },
  }
}

/** The chosen language comes first, for readers of any other. */
function languagesOf(all: readonly string[], first: string | null): readonly string[] {
  return first === null || !all.includes(first) ? all : [first, ...all.filter((language) => language !== first)]
}
