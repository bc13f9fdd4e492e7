import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROLES } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type SentFile, type Staff, signIn } from '../support/staff.ts'

const csv = (text: string, name = 'events.csv'): Record<string, SentFile> => ({
  file: { name, type: 'text/csv', bytes: Buffer.from(text) },
})
const calendar = (...entries: { uid: string; title: string; more?: string }[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...entries.flatMap(({ uid, title, more = '' }) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `SUMMARY:${title}`,
      'DTSTART:20310610T190000',
      'DTEND:20310610T210000',
      ...more.split('\n').filter(Boolean),
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n')

describe('the screen for imports', () => {
  let service: Service
  let editor: Staff
  let other: Server
  let address = ''
  let served = ''
  let now = Math.floor(Date.parse('2031-01-10T12:00:00Z') / 1000)
  before(async () => {
    other = createServer((_, response) => {
      if (served === '') response.writeHead(500)
      response.end(served)
    })
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    address = `http://${host}/feed.ics`
    service = await startService({ settings: { fetchHosts: host }, clock: () => now })
    editor = await signIn(service, 'editor')
  })
  after(async () => {
    await service.close()
    other.close()
  })

  const find = async (search: string, status = 'publish,private,draft'): Promise<Json[]> =>
    (
      await service.expect(200, 'editor', '/events', {
        query: { search, status, start_date: '2000-01-01', per_page: 50 },
      })
    ).events
  const check = (fields: Record<string, string>, files = {}) =>
    editor.upload('/manage/imports', { ...fields, do: 'check' }, files)
  const importId = (body: string) => /name="import" value="(\d+)"/.exec(body)?.[1] ?? ''
  const counted = (body: string) =>
    Object.fromEntries(
      [...body.matchAll(/class="count-(\w+)"><dt>[^<]*<\/dt><dd>([^<]*)/g)].map(([, name, n]) => [name, Number(n)]),
    )
  const run = async (files: Record<string, SentFile>, fields: Record<string, string> = {}) => {
    const began = await editor.upload('/manage/imports', { ...fields, do: 'run' }, files)
    assert.equal(began.statusCode, 303, began.body)
    return String(began.headers.location)
  }

  it('has its form at /new, as other lists do', async () => {
    const { statusCode, body } = await editor.get('/manage/imports/new')
    assert.equal(statusCode, 200)
    assert.match(body, /value="check"/)
  })

  it('shows what a file would do, and saves nothing', async () => {
    const seen = await check(
      {},
      csv('title,start_date,end_date\nChecked one,2031-06-10 19:00,2031-06-10 21:00\nBad one,never,\n'),
    )
    assert.equal(seen.statusCode, 200)
    assert.deepEqual(counted(seen.body), { created: 1, updated: 0, removed: 0, unchanged: 0, skipped: 1 })
    assert.match(seen.body, /Checked one/)
    assert.match(seen.body, /Line 3/)
    assert.match(seen.body, /events\.csv/)
    assert.deepEqual(await find('Checked one'), [])
    const { total } = await service.expect(200, 'editor', '/venues')
    assert.equal(total, 0)
  })

  it('runs what was checked, once', async () => {
    const seen = await check(
      {},
      csv('title,start_date,end_date,venue\nRun me,2031-06-10 19:00,2031-06-10 21:00,Pier\n'),
    )
    const began = await editor.post('/manage/imports', { import: importId(seen.body), do: 'run' })
    assert.equal(began.statusCode, 303)
    const { body } = await editor.get(String(began.headers.location))
    assert.equal(counted(body).created, 1)
    assert.equal((await find('Run me'))[0].venue.venue, 'Pier')
    assert.match((await editor.get('/manage/imports')).body, /events\.csv[\s\S]*1 new/)
    assert.equal((await editor.post('/manage/imports', { import: importId(seen.body), do: 'run' })).statusCode, 400)
    assert.equal((await find('Run me')).length, 1)
  })

  it('asks what the columns of an unknown table mean', async () => {
    const table = 'Was;Tag;Uhr;Halle\nSommerfest;03/04/2031;19:30;Rathaus\n'
    const seen = await check({}, csv(table))
    assert.equal(seen.statusCode, 200)
    for (const place of [0, 1, 2, 3]) assert.match(seen.body, new RegExp(`name="column\\[${place}\\]"`))
    assert.match(seen.body, /Sommerfest/)
    assert.doesNotMatch(seen.body, /value="run"/)
    const columns = { 'column[0]': 'title', 'column[1]': 'start_date', 'column[2]': 'start_time', 'column[3]': 'venue' }
    const mapped = await editor.post('/manage/imports', { import: importId(seen.body), ...columns, do: 'check' })
    assert.equal(counted(mapped.body).created, 1)
    assert.match(mapped.body, /3 April 2031/)
    const monthFirst = await editor.post('/manage/imports', {
      import: importId(seen.body),
      ...columns,
      date_order: 'mdy',
      do: 'check',
    })
    assert.match(monthFirst.body, /4 March 2031/)
    await editor.post('/manage/imports', { import: importId(seen.body), ...columns, do: 'run' })
    const [event] = await find('Sommerfest')
    assert.deepEqual([event.start_date, event.venue.venue], ['2031-04-03 19:30:00', 'Rathaus'])
    // The same at once, and a mapping without a start.
    await run(csv(table.replace('Sommerfest', 'Winterfest')), columns)
    assert.equal((await find('Winterfest'))[0].start_date, '2031-04-03 19:30:00')
    assert.match((await check({ 'column[0]': 'title' }, csv(table))).body, /role="alert"/)
  })

  it('reads dates in the order of the site, unless the table shows another', async () => {
    const american = await startService({ settings: { dateOrder: 'mdy' } })
    try {
      const staff = await signIn(american, 'editor')
      const table = (date: string) => csv(`Event Name,Event Start Date\nA,${date}\n`)
      const seen = await staff.upload('/manage/imports', { do: 'check' }, table('03.04.2031'))
      assert.match(seen.body, /4 March 2031/)
      assert.match(
        (await staff.upload('/manage/imports', { do: 'check' }, table('25/12/2031'))).body,
        /25 December 2031/,
      )
    } finally {
      await american.close()
    }
    assert.match((await check({}, csv('Event Name,Event Start Date\nA,03/04/2031\n'))).body, /3 April 2031/)
  })

  it('undoes a whole import: what it created goes, and what it changed is as before', async () => {
    const first =
      'uid,title,start_date,end_date,venue,categories,description\nu1,Undo one,2031-06-10 19:00,2031-06-10 21:00,Undo Hall,Undo Music,Old text\n'
    await run(csv(first))
    const [before] = await find('Undo one')
    const second =
      'uid,title,start_date,end_date,venue,categories,description\nu1,Undo one changed,2031-07-10 19:00,2031-07-10 21:00,Other Hall,Undo Dance,New text\nu2,Undo two,2031-06-11 19:00,2031-06-11 21:00,New Hall,Undo Dance,x\n'
    const place = await run(csv(second))
    assert.equal((await find('Undo one changed')).length, 1)
    const undone = await editor.post(place, { do: 'undo' })
    assert.equal(undone.statusCode, 303)
    assert.match((await editor.get(place)).body, /2 events are as before/)
    const [now] = await find('Undo one')
    for (const name of ['id', 'title', 'start_date', 'end_date', 'description', 'slug', 'status'])
      assert.deepEqual(now[name], before[name], name)
    assert.equal(now.venue.id, before.venue.id)
    assert.deepEqual(
      now.categories.map((one: Json) => one.name),
      ['Undo Music'],
    )
    assert.deepEqual(await find('Undo two', 'publish,trash,draft'), [])
    for (const name of ['New Hall', 'Other Hall'])
      assert.equal((await service.expect(200, 'editor', '/venues', { query: { search: name } })).total, 0, name)
    const categories = await service.expect(200, 'editor', '/categories?hide_empty=false&per_page=50')
    assert.ok(!categories.categories.some((one: Json) => one.name === 'Undo Dance'))
    // Again: it is done, and the file can be imported anew.
    await editor.post(place, { do: 'undo' })
    const { body } = await editor.get(await run(csv(second)))
    assert.deepEqual([counted(body).created, counted(body).updated], [1, 1])
  })

  it('leaves what somebody has changed since, and says so', async () => {
    const place = await run(
      csv('uid,title,start_date,end_date\nl1,Left alone,2031-06-10,2031-06-10\nl2,Goes away,2031-06-10,2031-06-10\n'),
    )
    const [event] = await find('Left alone')
    await service.expect(200, 'editor', `/events/${event.id}`, { json: { cost: '5' } })
    await editor.post(place, { do: 'undo' })
    const { body } = await editor.get(place)
    assert.match(body, /1 event is as before/)
    assert.match(body, /<li dir="auto">Left alone<\/li>/)
    assert.equal((await find('Left alone')).length, 1)
    assert.equal((await find('Goes away')).length, 0)
  })

  it('takes cancelled entries of a calendar out of the trash again', async () => {
    await run(csv(calendar({ uid: 'c1@x', title: 'Cancelled later' }), 'a.ics'))
    const place = await run(csv(calendar({ uid: 'c1@x', title: 'Cancelled later', more: 'STATUS:CANCELLED' }), 'a.ics'))
    assert.equal((await find('Cancelled later')).length, 0)
    await editor.post(place, { do: 'undo' })
    assert.equal((await find('Cancelled later'))[0].status, 'publish')
  })

  it('undoes series and tables of venues', async () => {
    const place = await run(csv(calendar({ uid: 's1@x', title: 'Weekly', more: 'RRULE:FREQ=WEEKLY;COUNT=5' }), 'a.ics'))
    assert.equal((await find('Weekly')).length, 5)
    await editor.post(place, { do: 'undo' })
    assert.equal((await find('Weekly', 'publish,trash')).length, 0)
    const venues = await run(csv('venue,address,city\nTable Hall,Street 1,Town\n'))
    assert.equal((await service.expect(200, 'editor', '/venues?search=Table+Hall')).total, 1)
    await editor.post(venues, { do: 'undo' })
    assert.equal((await service.expect(200, 'editor', '/venues?search=Table+Hall')).total, 0)
  })

  it('imports addresses, and refuses those that it may not fetch', async () => {
    served = calendar({ uid: 'a1@x', title: 'From elsewhere' })
    const seen = await check({ url: address })
    assert.equal(counted(seen.body).created, 1)
    // What runs is what was checked.
    served = calendar({ uid: 'a1@x', title: 'Exchanged' })
    await editor.post('/manage/imports', { import: importId(seen.body), do: 'run' })
    assert.equal((await find('From elsewhere')).length, 1)
    for (const url of ['http://127.0.0.1:1/x.ics', 'file:///etc/passwd', 'http://169.254.169.254/', 'no address']) {
      const refused = await check({ url })
      assert.equal(refused.statusCode, 400, url)
      assert.match(refused.body, /name="url"[^>]*aria-invalid="true"/)
    }
    assert.equal((await check({})).statusCode, 400)
    const nothing = await check({}, csv('just words', 'a.txt'))
    assert.equal(nothing.statusCode, 400)
    assert.match(nothing.body, /name="file"[^>]*aria-invalid="true"/)
  })

  it('does a long import in the background, with progress', async () => {
    const rows = Array.from({ length: 600 }, (_, n) => `Long ${n},2031-06-10 19:00,2031-06-10 21:00,${'x'.repeat(400)}`)
    const place = await run(csv(`title,start_date,end_date,excerpt\n${rows.join('\n')}\n`))
    const waiting = await editor.get(place)
    assert.match(waiting.body, /<progress/)
    assert.equal(waiting.headers.refresh, '2')
    service.startJobs()
    const end = async (): Promise<string> => {
      const { body, headers } = await editor.get(place)
      if (headers.refresh === undefined) return body
      await sleep(50)
      return end()
    }
    assert.equal(counted(await end()).created, 600)
    await editor.post(place, { do: 'undo' })
    assert.match(await end(), /600 events are as before/)
    assert.deepEqual(await find('Long 17'), [])
  })

  it('imports an address again by schedule, shows its last results, and tells of failures', async () => {
    served = calendar({ uid: 'f1@x', title: 'Scheduled one' })
    const seen = await check({ url: address })
    await editor.post('/manage/imports', { import: importId(seen.body), every: 'hourly', do: 'run' })
    assert.match((await editor.get('/manage/imports')).body, /Every hour/)
    const untilRun = async (pattern: RegExp): Promise<string> => {
      const { body } = await editor.get('/manage/imports')
      const [box = ''] = body.split('Stop importing it')
      if (pattern.test(box)) return box
      await sleep(50)
      return untilRun(pattern)
    }
    served = calendar({ uid: 'f1@x', title: 'Scheduled one' }, { uid: 'f2@x', title: 'Scheduled two' })
    now += 3601
    // Any write wakes the jobs.
    await service.expect(201, 'editor', '/tags', { json: { name: 'wake' } })
    await untilRun(/Every hour[\s\S]*1 new, 0 changed/)
    assert.equal((await find('Scheduled two')).length, 1)
    served = ''
    now += 3601
    await service.expect(201, 'editor', '/tags', { json: { name: 'wake again' } })
    await untilRun(/Every hour[\s\S]*mark-failed/)
    assert.match((await editor.get('/manage')).body, /An import failed/)
    const { body } = await editor.get('/manage/imports')
    const feed = /name="feed" value="(\d+)"/.exec(body)?.[1] ?? ''
    await editor.post('/manage/imports', { feed, do: 'stop' })
    assert.doesNotMatch((await editor.get('/manage/imports')).body, /Every hour/)
  })

  it('is for editors and administrators, with the token of their session', async () => {
    for (const role of ROLES) {
      const staff = await signIn(service, role)
      const isAllowed = role === 'editor' || role === 'administrator'
      assert.equal((await staff.get('/manage/imports')).statusCode, isAllowed ? 200 : 403, role)
      for (const action of ['check', 'run', 'undo', 'stop'])
        if (!isAllowed)
          assert.equal(
            (await staff.upload('/manage/imports', { do: action }, csv('title,start_date\nX,2031-06-10\n'))).statusCode,
            403,
          )
    }
    const forged = await editor.upload(
      '/manage/imports',
      { csrf: 'wrong', do: 'run' },
      csv('title,start_date\nForged,2031-06-10\n'),
    )
    assert.equal(forged.statusCode, 403)
    assert.deepEqual(await find('Forged'), [])
    assert.equal((await editor.get('/manage/imports/99999')).statusCode, 404)
  })

  it('shows hostile names and cells as text', async () => {
    const evil = '<img src=x onerror=alert(1)>'
    const { body } = await check({}, csv(`${evil},b\n${evil},c\n`, `${evil}.csv`))
    assert.doesNotMatch(body, /<img src=x/)
  })
})
