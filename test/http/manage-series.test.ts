import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const EVENT = {
  title: 'Rhyme time',
  start_date: '2031-06-10T10:00',
  end_date: '2031-06-10T11:30',
  timezone: 'Europe/Paris',
  status: 'publish',
}
const idOf = (location: unknown) => Number(/\/manage\/events\/(\d+)/.exec(String(location))?.[1])

describe('the screens for series', () => {
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService()
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const post = async (path: string, fields: Record<string, string | string[]>) => {
    const answer = await editor.post(path, fields)
    assert.equal(answer.statusCode, 303, answer.body)
    return answer
  }
  const create = async (fields: Record<string, string | string[]>) =>
    idOf((await post('/manage/events/new', { ...EVENT, do: 'save', ...fields })).headers.location)
  const list = async (series: number, status = 'publish'): Promise<Json[]> =>
    (await service.expect(200, 'editor', '/events', { query: { series, per_page: 50, status } })).events
  const starts = async (series: number) => (await list(series)).map(({ start_date }) => start_date.slice(0, 10))
  /** All fields of a form, as a browser sends them. */
  const formOf = async (id: number): Promise<Record<string, string>> => {
    const { body } = await editor.get(`/manage/events/${id}`)
    const fields: Record<string, string> = {}
    const text = (words: string) =>
      words
        .replace(/&quot;/g, '"')
        .replace(/&lt;/g, '<')
        .replace(/&gt;/g, '>')
        .replace(/&#39;/g, "'")
        .replace(/&amp;/g, '&')
    const form = body.slice(body.indexOf('class="form editor"'))
    for (const [tag, name = ''] of form.matchAll(/<input [^>]*?name="([^"]*)"[^>]*>/g)) {
      const isChoice = /type="(checkbox|radio)"/.test(tag)
      if (name === 'csrf' || /type="file"/.test(tag) || (isChoice && !/ checked/.test(tag))) continue
      fields[name] = text(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')
    }
    for (const [, name = '', value = ''] of form.matchAll(/<textarea [^>]*?name="([^"]*)"[^>]*>\n?([^<]*)</g))
      fields[name] = text(value)
    for (const [, name = '', options = ''] of form.matchAll(/<select [^>]*?name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      fields[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? ''
    return fields
  }

  it('create a series by the fields of a repetition', async () => {
    const id = await create({
      repeat: 'weekly',
      repeat_interval: '2',
      repeat_days: ['TU', 'TH'],
      repeat_end: 'count',
      repeat_count: '4',
      repeat_dates: '2031-07-01\n2031-07-02 18:00',
      repeat_except: '2031-06-12',
    })
    assert.deepEqual(await starts(id), ['2031-06-10', '2031-06-24', '2031-06-26', '2031-07-01', '2031-07-02'])
    const { recurrence } = await service.expect(200, 'editor', `/events/${id}`)
    assert.equal(recurrence.rule, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;COUNT=4')
    const { body } = await editor.get(`/manage/events/${id}`)
    assert.match(body, /<option value="weekly" selected>/)
    assert.match(body, /name="start_date" value="2031-06-10T10:00"/)
    assert.match(body, /name="repeat_days\[\]" value="TH" checked/)
    assert.match(body, /name="repeat_count"[^>]* value="4"/)
    assert.match(body, />\n2031-07-01\n2031-07-02 18:00<\/textarea>/)
    assert.match(body, /name="scope" value="this" checked/)
  })

  it('create one by a rule of one’s own, and refuse a wrong one beside the field', async () => {
    const id = await create({ repeat: 'custom', recurrence: 'RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=3\nEXDATE:20310708' })
    assert.deepEqual(await starts(id), ['2031-06-10', '2031-08-12'])
    const refused = await editor.post('/manage/events/new', {
      ...EVENT,
      repeat: 'custom',
      recurrence: 'FREQ=WEEKLY;BYDAY=XX',
      do: 'save',
    })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /<p class="problem" id="problem-recurrence">[^<]*XX/)
    assert.match(refused.body, />\nFREQ=WEEKLY;BYDAY=XX<\/textarea>/)
    assert.match(refused.body, /href="#field-recurrence"/)
    const empty = await editor.post('/manage/events/new', {
      ...EVENT,
      repeat: 'daily',
      repeat_end: 'count',
      do: 'save',
    })
    assert.equal(empty.statusCode, 400)
    assert.match(empty.body, /name="repeat_count"[^>]* aria-invalid="true" autofocus[^>]*problem-repeat_count/)
    assert.match(empty.body, /id="problem-repeat_count">This is required/)
    assert.doesNotMatch(empty.body, /COUNT=/)
    for (const [fields, name] of [
      [{ repeat_end: 'until', repeat_until: '' }, 'repeat_until'],
      [{ repeat_end: 'count', repeat_count: '0' }, 'repeat_count'],
      [{ repeat_interval: '-2' }, 'repeat_interval'],
      [{ repeat_dates: 'soon' }, 'repeat'],
    ] as const) {
      const { body, statusCode } = await editor.post('/manage/events/new', {
        ...EVENT,
        repeat: 'daily',
        do: 'save',
        ...fields,
      })
      assert.equal(statusCode, 400, name)
      assert.match(body, new RegExp(`name="${name}"[^>]* aria-invalid="true"`), name)
    }
  })

  it('change one event, it and the following, or all, in the fields that were changed', async () => {
    const id = await create({ repeat: 'weekly', repeat_end: 'count', repeat_count: '5', cost: '5' })
    const events = await list(id)
    const save = async (at: number, fields: Record<string, string>) =>
      post(`/manage/events/${events[at].id}`, { ...(await formOf(events[at].id)), do: 'save', ...fields })
    await save(1, { title: 'With guests' })
    await save(2, { cost: '7', scope: 'all' })
    assert.deepEqual(
      (await list(id)).map(({ title, cost }) => [title, cost.slice(-1)]),
      [
        ['Rhyme time', '7'],
        ['With guests', '7'],
        ['Rhyme time', '7'],
        ['Rhyme time', '7'],
        ['Rhyme time', '7'],
      ],
    )
    // What the second has of its own does not reach the others.
    await save(1, { cost: '8', scope: 'all' })
    assert.deepEqual(
      (await list(id)).map(({ title }) => title),
      ['Rhyme time', 'With guests', 'Rhyme time', 'Rhyme time', 'Rhyme time'],
    )
    await save(3, { start_date: '2031-07-02T10:00', end_date: '2031-07-02T11:30', scope: 'following' })
    assert.deepEqual(await starts(id), ['2031-06-10', '2031-06-17', '2031-06-24'])
    assert.deepEqual(await starts(events[3].id), ['2031-07-02', '2031-07-09'])
  })

  it('change the repetition itself', async () => {
    const id = await create({ repeat: 'weekly', repeat_end: 'count', repeat_count: '5' })
    const refused = await editor.post(`/manage/events/${id}`, { ...(await formOf(id)), repeat_count: '3', do: 'save' })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="repeat"[^>]* aria-invalid="true"[^>]*problem-repeat"/)
    await post(`/manage/events/${id}`, { ...(await formOf(id)), repeat_count: '3', scope: 'all', do: 'save' })
    assert.equal((await list(id)).length, 3)
    await post(`/manage/events/${id}`, { ...(await formOf(id)), repeat: 'none', scope: 'all', do: 'save' })
    assert.equal((await service.expect(200, 'editor', `/events/${id}`)).recurrence, null)
    await post(`/manage/events/${id}`, {
      ...(await formOf(id)),
      repeat: 'monthly',
      repeat_monthly: 'weekday',
      repeat_end: 'count',
      repeat_count: '2',
      do: 'save',
    })
    assert.deepEqual(await starts(id), ['2031-06-10', '2031-07-08'])
  })

  it('keep what others did to the series while a form was open', async () => {
    const id = await create({ repeat: 'weekly', repeat_end: 'count', repeat_count: '5' })
    const events = await list(id)
    const form = await formOf(events[1].id)
    await post(`/manage/events/${events[3].id}`, { do: 'trash', scope: 'this' })
    await post(`/manage/events/${events[1].id}`, { ...form, title: 'Renamed', scope: 'all', do: 'save' })
    assert.equal((await list(id)).length, 4)
    assert.ok((await list(id)).every(({ title }) => title === 'Renamed'))
    // Both changed the same event.
    const stale = await formOf(id)
    await post(`/manage/events/${id}`, {
      ...(await formOf(id)),
      repeat_count: '6',
      scope: 'all',
      title: 'First',
      do: 'save',
    })
    const conflict = await editor.post(`/manage/events/${id}`, {
      ...stale,
      repeat_count: '7',
      scope: 'all',
      title: 'Second',
      do: 'save',
    })
    assert.equal(conflict.statusCode, 412)
    assert.match(conflict.body, /name="take\[recurrence\]" value="theirs"/)
    assert.match(conflict.body, /COUNT=6/)
    const { body } = await editor.get(`/manage/events/${id}`)
    const revision = /name="revision" value="(\d+)"/.exec(body)?.[1] ?? ''
    await post(`/manage/events/${id}`, {
      ...stale,
      ...{ revision, repeat_count: '7', scope: 'all', title: 'Second', do: 'save' },
      'take[recurrence]': 'theirs',
      'take[title]': 'mine',
    })
    const saved = await service.expect(200, 'editor', `/events/${id}`)
    assert.deepEqual([saved.title, saved.recurrence.rule], ['Second', 'FREQ=WEEKLY;COUNT=6'])
  })

  it('preview a change of a series', async () => {
    const id = await create({ repeat: 'weekly', repeat_end: 'count', repeat_count: '5' })
    const shown = await editor.post(`/manage/events/${id}`, {
      ...(await formOf(id)),
      repeat_count: '4',
      title: 'Seen',
      do: 'preview',
    })
    assert.equal(shown.statusCode, 200, shown.body)
    assert.match(shown.body, /Seen/)
    assert.equal((await list(id)).length, 5)
  })

  it('remove and restore by scope', async () => {
    const id = await create({ repeat: 'weekly', repeat_end: 'count', repeat_count: '5' })
    const events = await list(id)
    await post(`/manage/events/${events[1].id}`, { do: 'trash', scope: 'this' })
    assert.equal((await list(id)).length, 4)
    await post(`/manage/events/${events[3].id}`, { do: 'trash', scope: 'following' })
    assert.deepEqual(await starts(id), ['2031-06-10', '2031-06-24'])
    await post(`/manage/events/${events[3].id}`, { do: 'restore', scope: 'all' })
    assert.equal((await list(events[3].id)).length, 2)
    await post(`/manage/events/${id}`, { do: 'trash', scope: 'all' })
    assert.equal((await list(id)).length, 0)
    await post(`/manage/events/${id}`, { do: 'delete', scope: 'all' })
    await service.expect(404, 'editor', `/events/${id}`)
    await service.expect(400, null, '/events', { query: { series: id } })
  })

  it('mark the events of a series in the table, which can show it alone', async () => {
    const id = await create({ title: 'Marked', repeat: 'daily', repeat_end: 'count', repeat_count: '3' })
    await create({ title: 'Not marked' })
    const all = await editor.get('/manage/events?search=marked')
    assert.equal(all.body.match(/Every day, three times/g)?.length, 3)
    const { body } = await editor.get(`/manage/events?series=${id}`)
    assert.match(body, /3 events/)
    assert.doesNotMatch(body, /Not marked/)
    assert.match(body, /Only the events of one series/)
    assert.equal((await editor.get('/manage/events?series=999999')).statusCode, 200)
  })

  it('say which dates the fields mean', async () => {
    const preview = async (query: Record<string, string>) => {
      const answer = await editor.get(`/manage/events/recurrence-preview?${new URLSearchParams(query)}`)
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json()
    }
    const start = { start_date: '2031-06-10T10:00', timezone: 'Europe/Paris', month: '2031-07' }
    const days = await preview({ ...start, repeat: 'weekly', repeat_days: 'TU,TH' })
    assert.equal(days.text, 'Every Tuesday and Thursday')
    const weekly = await preview({ ...start, repeat: 'weekly', repeat_except: '2031-07-08' })
    assert.equal(weekly.text, 'Every Tuesday')
    assert.equal(weekly.dates.length, 12)
    assert.equal(weekly.dates[4].date, '2031-07-15 10:00:00')
    assert.equal(weekly.more, true)
    assert.deepEqual(weekly.days, ['2031-07-01', '2031-07-08', '2031-07-15', '2031-07-22', '2031-07-29'])
    const yearly = await preview({ ...start, repeat: 'yearly', repeat_end: 'count', repeat_count: '12' })
    assert.deepEqual([yearly.dates.length, yearly.more], [12, false])
    const wrong = await preview({ ...start, repeat: 'custom', recurrence: 'FREQ=WEEKLY;BYDAY=XX' })
    assert.match(wrong.problem, /XX/)
    const unfinished = await preview({ ...start, repeat: 'daily', repeat_end: 'count', repeat_count: '' })
    assert.equal(unfinished.problem, null)
    const zero = await preview({ ...start, repeat: 'daily', repeat_end: 'count', repeat_count: '0' })
    assert.equal(zero.problem, 'This must be 1 or more.')
    const none = await preview({ ...start, repeat: 'none' })
    assert.deepEqual(none, { text: '', dates: [], days: [], more: false, problem: null })
    const anonymous = await service.inject({ url: '/manage/events/recurrence-preview?repeat=daily' })
    assert.equal(anonymous.statusCode, 303)
  })
})
