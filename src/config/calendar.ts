import { findZone, type Zone } from '../calendar/zone.ts'
import { parseColour } from '../lib/colour.ts'
import { LANGUAGES } from '../lib/texts.ts'
import { isAddress, isFile, list, readBaseUrl, readFlag, setting } from './setting.ts'

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Default name of a calendar. */
export const PROGRAM_NAME = 'Kalends'

/** Settings of the calendar: its name, look, language and mail. */
export const CALENDAR_SETTINGS = {
  baseUrl: setting<string>(
    'KALENDS_BASE_URL',
    '',
    'public address of the service (default: http://localhost:PORT)',
    'an http(s) address without a query',
    readBaseUrl,
  ),
  timezone: setting<Zone>(
    'KALENDS_TIMEZONE',
    'UTC',
    'time zone of the site',
    'an IANA time zone such as Europe/Paris, or an offset such as UTC+5.5',
    (text) => findZone(text) ?? undefined,
  ),
  currency: setting(
    'KALENDS_CURRENCY',
    '$',
    'symbol shown before a bare number in a cost',
    'a symbol of up to 5 characters',
    (text) => (text.length <= 5 ? text : undefined),
  ),
  languages: setting(
    'KALENDS_LANGUAGES',
    'en,fr,de,es',
    'languages of texts and addresses, the first for readers of any other, comma-separated',
    `a comma-separated list of ${LANGUAGES.join(', ')}`,
    readLanguages,
  ),
  siteName: setting('KALENDS_SITE_NAME', PROGRAM_NAME, 'name of the calendar', 'up to 100 characters', (text) =>
    text.length <= 100 ? text : undefined,
  ),
  familyTerms: setting(
    'KALENDS_FAMILY_TERMS',
    'family,families,kids,children,Familie,Familien,Kinder,famille,familles,enfants,familia,familias,niños,niñas,infantil',
    'names or slugs of the categories and tags that "For families" shows, comma-separated',
    'a comma-separated list of names',
    list(/^.{1,100}$/),
  ),
  logo: setting<string>(
    'KALENDS_LOGO',
    '',
    'logo beside that name: an image file or its address',
    'the path of an SVG, PNG, JPEG or WebP file, or an http(s) address',
    (text) => (text === '' || isAddress(text) || isFile(text, /\.(svg|png|jpe?g|webp)$/i) ? text : undefined),
  ),
  accent: setting<string>(
    'KALENDS_ACCENT',
    '#2f6b46',
    'colour of links and buttons, made darker or lighter where it could not be read',
    'a colour such as #2f6b46',
    (text) => (parseColour(text) === null ? undefined : text),
  ),
  stylesheet: setting<string>(
    'KALENDS_STYLESHEET',
    '',
    'a file of styles of your own, which come last',
    'the path of a CSS file',
    (text) => (text === '' || isFile(text, /\.css$/i) ? text : undefined),
  ),
  tiles: setting<string>(
    'KALENDS_TILES',
    '',
    'address of map tiles; without one maps are drawn from files of our own, and nothing is asked of others',
    'an http(s) address with {z}, {x} and {y} in it',
    (text) =>
      text === '' || (isAddress(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part))) ? text : undefined,
  ),
  clock: setting<12 | 24 | null>(
    'KALENDS_CLOCK',
    '',
    'clock of pages and of the widget: 12 or 24 hours; without it the language decides',
    '12 or 24',
    (text) => (text === '' ? null : text === '12' ? 12 : text === '24' ? 24 : undefined),
  ),
  weekStart: setting<number | null>(
    'KALENDS_WEEK_START',
    '',
    'first day of the week on pages and in the widget; without it the language decides',
    `one of ${WEEKDAYS.join(', ')}`,
    (text) => (text === '' ? null : WEEKDAYS.indexOf(text.toLowerCase()) + 1 || undefined),
  ),
  suggest: setting('KALENDS_SUGGEST', 'no', 'whether anybody may suggest events at /suggest', 'yes or no', readFlag),
  dateOrder: setting<'dmy' | 'mdy'>(
    'KALENDS_DATE_ORDER',
    'dmy',
    'order of day and month in imported tables that do not show it',
    'dmy (day first) or mdy (month first)',
    (text) => (text === 'dmy' || text === 'mdy' ? text : undefined),
  ),
  smtpUrl: setting<string>(
    'KALENDS_SMTP_URL',
    '',
    'address of a mail server; without one, nobody is told by mail',
    'an address such as smtps://user:password@mail.example.org',
    (text) => (text === '' || (/^smtps?:\/\/[^\s/]+\/?(\?\S*)?$/.test(text) && URL.canParse(text)) ? text : undefined),
  ),
  mailFrom: setting<string>(
    'KALENDS_MAIL_FROM',
    '',
    'sender of mail',
    'an e-mail address, or a name and an address such as Town Calendar <calendar@example.org>',
    (text) => (text === '' || /^([^<>@\r\n]{1,100}<)?[^\s<>,;]+@[^\s<>,;]+>?$/.test(text) ? text : undefined),
  ),
} as const

function readLanguages(text: string): string[] | undefined {
  const names = list(/^[a-z]{2}$/)(text)
  return names !== undefined && names.length > 0 && names.every((name) => LANGUAGES.includes(name)) ? names : undefined
}
