import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { decodeHTML } from 'entities'
import { LANGUAGES } from '../../src/lib/texts.ts'
import fc from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ENCODING_NAMES, ENCODINGS, LAYOUTS, SEPARATORS, type Told, tableText } from '../support/tables.ts'
import { times } from '../support/thorough.ts'

const TOLD: Told[] = [
  {
    title: 'Fête du «quai» – 5 €',
    day: '2031-06-13',
    from: '19:30',
    until: '22:00',
    lastDay: '2031-06-13',
    venue: 'Café Müller',
    category: 'Musik',
  },
  {
    title: 'Markt, "groß"',
    day: '2031-04-03',
    from: null,
    until: null,
    lastDay: '2031-04-05',
    venue: 'Platz',
    category: '',
  },
  {
    title: 'Night',
    day: '2031-12-24',
    from: '23:00',
    until: '00:15',
    lastDay: '2031-12-25',
    venue: '',
    category: 'Talks',
  },
]

/** An event as the REST interface shows it. */
const expected = ({ title, day, from, until, lastDay, venue, category }: Told) => ({
  title,
  start: `${day} ${from ?? '00:00'}:00`,
  end: from === null ? `${lastDay} 23:59:59` : `${lastDay} ${until}:00`,
  allDay: from === null,
  venue,
  categories: [category].filter(Boolean),
})

describe('POST /import of a table', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ settings: { fetchHosts: '127.0.0.1' } })
  })
  afterEach(() => service.close())

  const send = (raw: string | Buffer, query: Record<string, unknown> = {}, status = 200, language = 'en') =>
    service.expect(status, 'editor', '/import', {
      raw,
      query,
      headers: { 'content-type': 'text/csv', 'accept-language': language },
    })
  const events = async (): Promise<Json[]> =>
    (
      await service.expect(200, 'editor', '/events', {
        query: { per_page: 50, start_date: '2030-01-01', end_date: '2039-01-01', status: 'publish,private,draft' },
      })
    ).events
  const list = async (name: 'venues' | 'organizers'): Promise<Json[]> =>
    (await service.call('editor', `/${name}`, { query: { per_page: 50 } })).json()[name] ?? []
  const plain = (text: string) => decodeHTML(text)
  const shown = ({ title, start_date, end_date, all_day, venue, categories }: Json) => ({
    title: plain(title),
    start: start_date,
    end: end_date,
    allDay: all_day,
    venue: plain(venue.venue ?? ''),
    categories: categories.map(({ name }: Json) => plain(name)),
  })
  const byStart = (list: { readonly start: string }[]) => list.toSorted((a, b) => (a.start < b.start ? -1 : 1))
  const counts = ({ created, updated, unchanged, removed, skipped }: Json) => [
    created,
    updated,
    unchanged,
    removed,
    skipped,
  ]
  const messages = ({ notes }: Json): string[] => notes.map(({ message }: Json) => message)

  for (const [name, { header, row }] of Object.entries(LAYOUTS)) {
    it(`reads ${name}, in every encoding and with every separator, and knows its rows again`, async () => {
      let isFirst = true
      for (const encoding of ENCODING_NAMES) {
        for (const [n, separator] of SEPARATORS.entries()) {
          const rows = [header.split(','), ...TOLD.map(row)]
          const report = await send(ENCODINGS[encoding](tableText(rows, separator, n === 1)))
          const what = `${encoding}, ${JSON.stringify(separator)}: ${JSON.stringify(report)}`
          assert.deepEqual(counts(report), isFirst ? [3, 0, 0, 0, 0] : [0, 0, 3, 0, 0], what)
          isFirst = false
        }
      }
      assert.deepEqual((await events()).map(shown), byStart(TOLD.map(expected)))
    })
  }

  it('reads an event back as it was written, in each layout and encoding', async () => {
    const text = (letters: string) =>
      fc
        .string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 20 })
        .map((part) => `x${part}x`.replace(/\s+/g, ' '))
    const two = (n: number) => String(n).padStart(2, '0')
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hour, minute]) => `${two(hour)}:${two(minute)}`)
    const told = fc
      .record({
        title: text('abÄé€ß,;"\n \t–'),
        month: fc.integer({ min: 1, max: 12 }),
        date: fc.integer({ min: 13, max: 27 }),
        times: fc.option(fc.tuple(time, time)),
        venue: text('abÄé, "').map((venue) => venue.replaceAll('"', 'q')),
        category: text('abÄé '),
      })
      .map(({ title, month, date, times, venue, category }): Told => {
        const [from = null, until = null] = times?.toSorted() ?? []
        const day = `2032-${two(month)}-${two(date)}`
        return { title, day, from, until, lastDay: day, venue, category }
      })
    const layout = fc.constantFrom(...Object.entries(LAYOUTS))
    const writing = fc.tuple(fc.constantFrom(...ENCODING_NAMES), fc.constantFrom(...SEPARATORS), fc.boolean())
    let runs = 0
    await fc.assert(
      fc.asyncProperty(told, layout, writing, async (drawn, [, { header, row }], [encoding, separator, quoteAll]) => {
        // Categories are found by their slugs, which have no accents.
        const event = { ...drawn, title: `${drawn.title}${++runs}`, category: `${drawn.category}${runs}` }
        const bytes = ENCODINGS[encoding](tableText([header.split(','), row(event)], separator, quoteAll))
        const report = await send(bytes)
        assert.deepEqual(counts(report), [1, 0, 0, 0, 0], JSON.stringify(report))
        const found = (await events()).toSorted((one, other) => other.id - one.id)[0]
        assert.deepEqual(shown(found), {
          ...expected(event),
          venue: event.venue.replace(/\s+/g, ' ').trim(),
          categories: [event.category.replace(/\s+/g, ' ').trim()],
        })
        await service.expect(200, 'editor', `/events/${found.id}`, { method: 'DELETE', query: { force: true } })
      }),
      { numRuns: times(100, 30) },
    )
  })

  it('brings every field of the importer of the WordPress calendar', async () => {
    const { header = '', row } = LAYOUTS['the importer of the WordPress calendar'] ?? {}
    const [first] = TOLD
    if (first === undefined || row === undefined) return
    await send(tableText([header.split(','), row(first)]))
    const [event] = await events()
    assert.deepEqual(
      [event.description.trim(), event.excerpt.trim(), event.timezone, event.featured, event.sticky, event.show_map],
      ['<p>Text</p>', '<p>Short</p>', 'America/New_York', true, false, true],
    )
    assert.deepEqual([event.cost, event.cost_details.currency_symbol, event.cost_details.values], ['10€', '€', ['10']])
    assert.deepEqual([event.organizer[0].organizer, event.tags[0].name], ['Guild', 'a tag'])
    assert.deepEqual([event.website, event.hide_from_listings], ['https://example.org/', false])
  })

  it('makes venues of a table of venues, which events find by name, and knows them again', async () => {
    const header =
      'Venue Name,Venue Country,Venue Address,Venue Address 2,Venue City,Venue State/Province,Venue Zip,Venue Phone,Venue URL,Show Map,Show Map Link,Venue Description,Venue Featured Image'
    const hall = [
      'Hall',
      'United States',
      '1 Main St',
      'Floor 2',
      'Long Beach',
      'CA',
      '90815',
      '+1 800',
      'hall.example.org',
    ]
    const venues = (zip: string) =>
      tableText([
        header.split(','),
        hall.with(6, zip).concat(['1', '0', '<b>Old</b>', '']),
        ['Haus', 'Germany', 'Ring 1', '', 'Köln', 'NRW', '', '', 'no address', 'TRUE', 'TRUE', '', ''],
      ])
    await send('Event Name,Event Start Date,Event Venue Name\nBefore,2031-06-10,Hall\n')
    const report = await send(venues('90815'))
    assert.deepEqual(counts(report), [1, 1, 0, 0, 0], JSON.stringify(report))
    assert.match(messages(report).join(), /brought without website/)
    assert.deepEqual(counts(await send(venues('90815'))), [0, 0, 2, 0, 0])
    assert.deepEqual(counts(await send(venues('90816'))), [0, 1, 1, 0, 0])
    const found = await list('venues')
    assert.equal(found.length, 2)
    const one = found.find(({ venue }) => venue === 'Hall')
    assert.deepEqual(
      [one.address, one.city, one.state, one.stateprovince, one.country, one.zip, one.website, one.show_map_link],
      ['1 Main St Floor 2', 'Long Beach', 'CA', 'CA', 'United States', '90816', 'https://hall.example.org', false],
    )
    const haus = found.find(({ venue }) => venue === 'Haus')
    assert.deepEqual([haus.province, haus.stateprovince, haus.city], ['NRW', 'NRW', 'Köln'])
    const [event] = await events()
    assert.equal(event.venue.id, one.id)
    const dry = await send(venues('1'), { dry_run: true })
    assert.deepEqual(counts(dry), [0, 1, 1, 0, 0])
    assert.deepEqual((await list('venues')).find(({ venue }) => venue === 'Hall').zip, '90816')
  })

  it('keeps two venues of one name apart by their addresses', async () => {
    const rows = ['Town Hall;1 High St;York', 'Town Hall;9 Low Rd;Leeds']
    const table = (...lines: string[]) => `Venue Name;Venue Address;Venue City\n${lines.join('\n')}\n`
    assert.deepEqual(counts(await send(table(...rows))), [2, 0, 0, 0, 0])
    assert.deepEqual(counts(await send(table(...rows.toReversed()))), [0, 0, 2, 0, 0])
    assert.deepEqual((await list('venues')).map(({ city }) => city).sort(), ['Leeds', 'York'])
  })

  it('makes organizers of a table of organizers', async () => {
    const table = tableText([
      ['Organizer Name', 'Organizer Description', 'Organizer Email', 'Organizer Website', 'Organizer Phone'],
      ['Guild <3', 'They play.', 'info@guild.example.org', 'https://guild.example.org', '123'],
      ['Club', '', 'nobody', '', ''],
      ['', '', 'x@example.org', '', ''],
    ])
    const report = await send(table)
    assert.deepEqual(counts(report), [2, 0, 0, 0, 1], JSON.stringify(report))
    assert.match(messages(report).join(), /brought without email: .*e-mail/)
    const found = await list('organizers')
    const guild = found.find(({ email }) => email === 'info@guild.example.org')
    assert.deepEqual([plain(guild.organizer), guild.phone], ['Guild <3', '123'])
    assert.deepEqual(counts(await send(table)), [0, 0, 2, 0, 1])
    assert.deepEqual(counts(await send('organizer_name\nSolo\n')), [1, 0, 0, 0, 0])
  })

  it('keeps private appointments from the public, and takes categories apart', async () => {
    const report = await send(
      'Subject,Start Date,Start Time,Categories,Private,Sensitivity,Description\n' +
        'Open,6/13/2031,7:00 PM,Red Category;Blue Category,False,Normal,a <b> c\n' +
        'Secret,6/14/2031,7:00 PM,,True,Normal,\nOnly us,6/15/2031,7:00 PM,,False,Confidential,\n',
    )
    assert.deepEqual(counts(report), [3, 0, 0, 0, 0])
    const found = await events()
    assert.deepEqual(
      found.map(({ title, status }) => [title, status]),
      [
        ['Open', 'publish'],
        ['Secret', 'private'],
        ['Only us', 'private'],
      ],
    )
    assert.deepEqual(found[0].categories.map(({ name }: Json) => name).sort(), ['Blue Category', 'Red Category'])
    assert.match(found[0].description, /a &lt;b&gt; c/)
  })

  it('takes a word that nobody knows for private, and leaves out flags that are neither yes nor no', async () => {
    const report = await send(
      'Subject,Start Date,Start Time,All day event,Private\n' +
        'Doctor,6/13/2031,7:00 PM,perhaps,Privado\nArzt,6/14/2031,7:00 PM,Aus,Ein\nOffen,6/15/2031,7:00 PM,Aus,Aus\n',
    )
    assert.equal(counts(report)[0], 3)
    assert.ok(report.notes.some(({ message }: Json) => /true or false/.test(message)))
    assert.deepEqual(
      (await events()).map(({ title, status }) => [title, status]),
      [
        ['Doctor', 'private'],
        ['Arzt', 'private'],
        ['Offen', 'publish'],
      ],
    )
  })

  it('takes one event of a list of orders, and cancelled events of Eventbrite to the trash', async () => {
    const table = (status: string) =>
      'Order ID,Attendee email,Event name,Event ID,Event start date,Event start time,Event timezone,Event location,Event Status\n' +
      `1,a@example.org,Gala,77,2031-06-10,18:00:00,America/Los_Angeles,"Hall, upper",${status}\n` +
      `2,b@example.org,Gala,77,2031-06-10,18:00:00,America/Los_Angeles,"Hall, upper",${status}\n`
    const report = await send(table('live'))
    assert.deepEqual(counts(report), [1, 0, 0, 0, 0])
    const [gala] = await events()
    assert.deepEqual(
      [gala.start_date, gala.end_date, gala.timezone, gala.venue.venue],
      ['2031-06-10 18:00:00', '2031-06-10 18:00:00', 'America/Los_Angeles', 'Hall, upper'],
    )
    assert.ok(!JSON.stringify(report).includes('a@example.org'))
    assert.deepEqual(counts(await send(table('canceled'))), [0, 0, 0, 1, 0])
    assert.deepEqual(await events(), [])
  })

  it('reads the order of day and month as the table shows it, or as it is told', async () => {
    const table = (...days: string[]) =>
      `Subject,Start Date,Start Time\n${days.map((day, n) => `E${n},${day},19:00`).join('\n')}\n`
    const cases: [days: string[], dates: string | null, found: string[], message: RegExp][] = [
      [
        ['03/04/2031', '13/04/2031'],
        null,
        ['2031-04-03', '2031-04-13'],
        /^Dates are read as day\/month\/year: 03\/04\/2031 is 3 April 2031\.$/,
      ],
      [
        ['03/04/2031', '3/14/2031'],
        null,
        ['2031-03-04', '2031-03-14'],
        /month\/day\/year: 03\/04\/2031 is 4 March 2031\.$/,
      ],
      [['03/04/2031'], null, ['2031-03-04'], /does not show .* month\/day\/year: .* 4 March 2031.* day-first/],
      [['03.04.2031'], null, ['2031-04-03'], /does not show .* day\/month\/year: .* 3 April 2031.* month-first/],
      [['03-04-31'], null, ['2031-04-03'], /day\/month\/year: 03-04-31 is 3 April 2031/],
      [['03/04/2031'], 'day-first', ['2031-04-03'], /^Dates are read as day\/month\/year/],
      [['03.04.2031'], 'month-first', ['2031-03-04'], /^Dates are read as month\/day\/year/],
    ]
    for (const [days, dates, found, message] of cases) {
      const report = await send(table(...days), dates === null ? {} : { dates })
      assert.equal(report.notes.length, 1, JSON.stringify(report))
      assert.match(report.notes[0].message, message)
      const all = await events()
      assert.deepEqual(
        all.map(({ start_date }) => start_date.slice(0, 10)),
        found,
      )
      for (const { id } of all)
        await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
    }
    await send(table('03/04/2031'), { dates: 'sideways' }, 400)
    // Told otherwise, the same rows are the same events.
    await send(table('03/04/2031'))
    assert.deepEqual(counts(await send(table('03/04/2031'), { dates: 'day-first' })), [0, 1, 0, 0, 0])
    assert.deepEqual(
      (await events()).map(({ start_date }) => start_date),
      ['2031-04-03 19:00:00'],
    )
    const mixed = await send(table('13/04/2031', '04/14/2031'), { dry_run: true })
    assert.deepEqual(counts(mixed), [1, 0, 0, 0, 1])
  })

  it('reads times of every form, and days without a time', async () => {
    const forms: [date: string, start: string, end: string, from: string, until: string, allDay: boolean][] = [
      ['2031-06-10', '7:00 PM', '9:30 p.m.', '2031-06-10 19:00:00', '2031-06-10 21:30:00', false],
      ['2031-06-11', '19:00:15', '', '2031-06-11 19:00:15', '2031-06-11 19:00:15', false],
      ['2031-06-12', '22:00', '2am', '2031-06-12 22:00:00', '2031-06-13 02:00:00', false],
      ['2031-06-13', '', '', '2031-06-13 00:00:00', '2031-06-13 23:59:59', true],
      ['June 14, 2031', '', '', '2031-06-14 00:00:00', '2031-06-14 23:59:59', true],
      ['2031-06-15 00:00:00', '19h30', '20.15 Uhr', '2031-06-15 19:30:00', '2031-06-15 20:15:00', false],
    ]
    const rows = forms.map(([date, start, end], n) => [`E${n}`, date, start, end])
    const report = await send(
      tableText([['Event Name', 'Event Start Date', 'Event Start Time', 'Event End Time'], ...rows]),
    )
    assert.deepEqual(counts(report), [forms.length, 0, 0, 0, 0], JSON.stringify(report))
    assert.deepEqual(
      (await events()).map(({ start_date, end_date, all_day }) => [start_date, end_date, all_day]),
      forms.map(([, , , from, until, allDay]) => [from, until, allDay]),
    )
    const wrong = await send('Event Name,Event Start Date,Event Start Time\nA,2031-06-10,25:00\nB,2031-02-30,19:00\n')
    assert.deepEqual(counts(wrong), [0, 0, 0, 0, 2])
  })

  it('takes a row that ends at an earlier time of the same date to end on the next day, and says so', async () => {
    const split = await send(
      tableText([
        ['Event Name', 'Event Start Date', 'Event Start Time', 'Event End Date', 'Event End Time'],
        ['Night', '2031-06-10', '22:00', '2031-06-10', '02:00'],
        ['Until midnight', '06/14/2031', '8:00 PM', '06/14/2031', '12:00 AM'],
        ['Evening', '2031-06-16', '20:00', '2031-06-16', '22:00'],
        ['Instant', '2031-06-18', '20:00', '2031-06-18', '20:00'],
        ['New year', '2031-12-31', '22:00', '2031-12-31', '03:00'],
        ['Backwards', '2031-06-20', '20:00', '2031-06-19', '22:00'],
      ]),
    )
    assert.deepEqual(counts(split), [5, 0, 0, 0, 1], JSON.stringify(split))
    const own = await send(
      'title,start_date,end_date,all_day\nOwn,2031-06-22 22:00,2031-06-22 02:00,\nDay,2031-06-24 22:00,2031-06-24 02:00,yes\n',
    )
    assert.deepEqual(counts(own), [2, 0, 0, 0, 0], JSON.stringify(own))
    assert.deepEqual(
      (await events()).map(({ title, end_date }) => [title, end_date]),
      [
        ['Night', '2031-06-11 02:00:00'],
        ['Until midnight', '2031-06-15 00:00:00'],
        ['Evening', '2031-06-16 22:00:00'],
        ['Instant', '2031-06-18 20:00:00'],
        ['Own', '2031-06-23 02:00:00'],
        ['Day', '2031-06-24 23:59:59'],
        ['New year', '2032-01-01 03:00:00'],
      ],
    )
    const told = [...split.notes, ...own.notes].filter(({ message }: Json) => /on the next day/.test(message))
    assert.deepEqual(
      told.map(({ line }: Json) => line),
      [2, 3, 6, 2],
    )
    assert.match(told[0].message, /11 June 2031/)
  })

  it('brings a row whose zone or address means nothing, and says so', async () => {
    const report = await send(
      'Event Name,Event Start Date,Time Zone,Event Website,Event Featured Image\nA,2031-06-10,Nowhere,not one,17\n' +
        'B,2031-06-11,Eastern Standard Time,,\n',
    )
    assert.deepEqual(counts(report), [2, 0, 0, 0, 0])
    for (const name of ['timezone', 'website', 'image'])
      assert.ok(
        messages(report).some((message) => message.includes(`brought without ${name}`)),
        name,
      )
    assert.deepEqual(
      (await events()).map(({ timezone }) => timezone),
      ['America/New_York', 'America/New_York'],
    )
  })

  it('names the columns that an unknown layout has and lacks, in every language', async () => {
    for (const [table, lacking] of [
      ['Colour,Size\nred,5\n', ['title', 'start_date']],
      ['Subject;Place\nA;B\n', ['Start Date']],
      ['Event Name\tEvent Cost\nA\t5\n', ['Event Start Date']],
    ] as const) {
      for (const language of LANGUAGES) {
        const { data } = await send(table, {}, 400, language)
        for (const name of lacking) assert.ok(data.params.file.includes(`"${name}"`), data.params.file)
        for (const name of (table.split('\n')[0] ?? '').split(/[,;\t]/))
          assert.ok(data.params.file.includes(name), data.params.file)
      }
    }
  })

  it('refuses what is not a table, and bounds what is one', async () => {
    const refusals: [string, RegExp][] = [
      ['"title,start_date\nA,2031-01-01\n', /quotation mark is not closed/],
      [`${'a,'.repeat(200_000)}\n1\n`, /too many columns/],
      [`title,start_date${',x'.repeat(600_000)}\n`, /too many columns/],
      ['x'.repeat(300_000), /iCalendar/],
      ['{"events":[', /./],
      ['<html>', /iCalendar/],
      ['\0\x01\x02\x03', /iCalendar/],
    ]
    for (const [raw, message] of refusals) {
      const answer = await service.call('editor', '/import', { raw, headers: { 'content-type': 'text/csv' } })
      assert.equal(answer.statusCode, 400, raw.slice(0, 20))
      assert.match(JSON.stringify(answer.json()), message)
    }
    assert.deepEqual(await events(), [])
    const header = `sep=;\r\ntitle;start_date${';'.repeat(16_000)}\r\n`
    const report = await send(`${header}A,B;2031-01-01\r\n${';'.repeat(50_000)}x\r\nC;2031-01-02\r\n`)
    assert.deepEqual(counts(report), [2, 0, 0, 0, 1])
    assert.equal(report.notes[0].line, 4)
  })

  it('fetches a table from an address, and tells what an address answers that is none', async (t) => {
    const answers: Record<string, [number, string, string]> = {
      '/table': [200, 'text/plain', 'Subject,Start Date\nA,2031-06-10\n'],
      '/page': [200, 'text/html', '<!doctype html>'],
      '/odd': [200, 'text/csv', 'Colour,Size\n'],
      '/gone': [410, 'application/json', '{}'],
    }
    const server = createServer(({ url = '' }, response) => {
      const [status, type, body] = answers[url] ?? [500, 'text/plain', '']
      response.writeHead(status, { 'content-type': type }).end(body)
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise((resolve) => server.on('listening', resolve))
    const home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ask = (path: string, status: number) =>
      service.expect(status, 'editor', '/import', { json: { url: `${home}${path}`, dates: 'day-first' } })
    assert.deepEqual(counts(await ask('/table', 200)), [1, 0, 0, 0, 0])
    assert.match((await ask('/page', 400)).data.params.url, /iCalendar.*answered 200 \(text\/html\)/)
    assert.match((await ask('/odd', 400)).data.params.url, /no column "title".*Colour, Size/)
    assert.match((await ask('/gone', 400)).data.params.url, /answered 410 \(application\/json\)/)
  })
})
