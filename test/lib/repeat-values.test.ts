import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isUnchanged, recurrenceOf, repeatValues } from '../../src/manage/events/repeat-values.ts'

const START = '2031-06-13T19:00'

/** Fields of a form, and the rule that they mean, for an event on Friday, 13 June 2031. */
const RULES: [Record<string, string | string[]>, string][] = [
  [{ repeat: 'daily' }, 'FREQ=DAILY'],
  [{ repeat: 'daily', repeat_interval: '3', repeat_end: 'never' }, 'FREQ=DAILY;INTERVAL=3'],
  [{ repeat: 'weekly', repeat_end: 'count', repeat_count: '10' }, 'FREQ=WEEKLY;COUNT=10'],
  [
    {
      repeat: 'weekly',
      repeat_interval: '2',
      repeat_days: ['FR', 'MO'],
      repeat_end: 'until',
      repeat_until: '2031-12-31',
    },
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20311231',
  ],
  [{ repeat: 'monthly', repeat_monthly: 'day' }, 'FREQ=MONTHLY'],
  [{ repeat: 'monthly', repeat_monthly: 'weekday' }, 'FREQ=MONTHLY;BYDAY=2FR'],
  [{ repeat: 'monthly', repeat_monthly: 'last_weekday', repeat_interval: '1' }, 'FREQ=MONTHLY;BYDAY=-1FR'],
  [{ repeat: 'monthly', repeat_monthly: 'last_day' }, 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  [{ repeat: 'yearly' }, 'FREQ=YEARLY'],
]

describe('the fields of a repetition', () => {
  it('mean a rule', () => {
    for (const [fields, rule] of RULES)
      assert.deepEqual(recurrenceOf({ start_date: START, ...fields }), { rule, dates: [], except: [] }, rule)
  })

  it('mean nothing, dates alone, or a rule of one’s own', () => {
    assert.equal(recurrenceOf({ title: 'A' }), undefined)
    assert.equal(recurrenceOf({ repeat: 'none', recurrence: 'FREQ=DAILY' }), null)
    assert.equal(recurrenceOf({ recurrence: 'FREQ=DAILY' }), 'FREQ=DAILY')
    assert.equal(recurrenceOf({ recurrence: '' }), null)
    assert.deepEqual(recurrenceOf({ repeat: 'dates', repeat_dates: '2031-06-20\r\n2031-07-01 18:00\r\n' }), {
      rule: null,
      dates: ['2031-06-20', '2031-07-01 18:00'],
      except: [],
    })
    assert.equal(
      recurrenceOf({ repeat: 'custom', recurrence: ' RRULE:FREQ=DAILY\nEXDATE:20310614 ' }),
      'RRULE:FREQ=DAILY\nEXDATE:20310614',
    )
    assert.deepEqual(recurrenceOf({ repeat: 'custom', recurrence: 'RRULE:FREQ=DAILY', repeat_except: '2031-06-14' }), {
      rule: 'FREQ=DAILY',
      dates: [],
      except: ['2031-06-14'],
    })
  })

  it('say a stored rule again, and are one of one’s own where they cannot', () => {
    for (const [, rule] of RULES) {
      const values = repeatValues({ rule, dates: [], except: [] }, '2031-06-13 19:00:00', 'Europe/Berlin')
      assert.notEqual(values.repeat, 'custom', rule)
      assert.deepEqual(recurrenceOf({ ...values, start_date: START }), { rule, dates: [], except: [] }, rule)
    }
    for (const rule of [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU',
      'FREQ=MONTHLY;BYDAY=1FR',
      'FREQ=DAILY;BYMONTH=1',
    ]) {
      const values = repeatValues({ rule, dates: [], except: [] }, '2031-06-13 19:00:00', 'Europe/Berlin')
      assert.deepEqual([values.repeat, values.recurrence], ['custom', rule])
    }
  })

  it('show times only where they are not those of the series', () => {
    const stored = { rule: 'FREQ=DAILY', dates: ['2031-07-01 18:00:00'], except: ['2031-06-14 19:00:00'] }
    const values = repeatValues(stored, '2031-06-13 19:00:00', 'UTC')
    assert.deepEqual([values.repeat_dates, values.repeat_except], ['2031-07-01 18:00', '2031-06-14'])
  })

  it('change nothing where they stand as they were', () => {
    const start = '2031-06-13 19:00:00'
    const stored = { rule: 'FREQ=WEEKLY;UNTIL=20311231T180000Z', dates: ['2031-07-01 18:00:00'], except: [] }
    const values = repeatValues(stored, start, 'Europe/Berlin')
    assert.equal(values.repeat_until, '2031-12-31')
    assert.ok(isUnchanged(values, stored, start, 'Europe/Berlin'))
    assert.ok(!isUnchanged({ ...values, repeat_until: '2031-12-30' }, stored, start, 'Europe/Berlin'))
    assert.ok(isUnchanged({ repeat: 'none' }, null, start, 'UTC'))
    assert.ok(!isUnchanged({ repeat: 'none' }, stored, start, 'UTC'))
  })
})
