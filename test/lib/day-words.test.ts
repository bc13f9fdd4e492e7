import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays } from '../../src/calendar/days.ts'
import { LANGUAGES } from '../../src/lib/texts.ts'
import { CAPITALISED, type DateStyle, STYLES, say } from '../../src/pages/dates.ts'

const DAY_STYLES = Object.entries(STYLES).filter(([, options]) => !('hour' in options))

/** Those of the service, with settings of a site, and some with other digits, calendars and grammar. */
const LOCALES = [...LANGUAGES, 'en-GB', 'en-US', 'fr-u-fw-sun-hc-h12', 'ca', 'ru', 'ar-EG', 'fa', 'th', 'ja', 'zh-TW']

/** Every day of two years, and of some weeks in years with other digits. */
const DAYS = [
  ...Array.from({ length: 731 }, (_, n) => addDays('2027-02-20', n)),
  ...Array.from({ length: 40 }, (_, n) => addDays('0999-12-10', n)),
]

test('Days are written as Intl formats them, in any order of days', () => {
  for (const locale of LOCALES) {
    for (const [style, options] of DAY_STYLES) {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
      for (const day of [...DAYS, ...DAYS.toReversed()]) {
        const plain = format.format(new Date(`${day}T00:00:00Z`))
        const expected = CAPITALISED.includes(style as DateStyle)
          ? plain.charAt(0).toLocaleUpperCase(locale) + plain.slice(1)
          : plain
        assert.equal(say({ locale }, day, style as DateStyle), expected, `${locale} ${style} ${day}`)
      }
    }
  }
})

test('A day of a wall-clock time is written without its time', () => {
  assert.equal(say({ locale: 'en-GB' }, '2027-02-20 23:30:00', 'day'), 'Saturday 20 February')
})
