import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventFields } from '../../src/schema/event.ts'
import type { Fields } from '../../src/schema/field.ts'
import { organizerFields } from '../../src/schema/organizer.ts'
import { categoryFields, tagFields } from '../../src/schema/term.ts'
import { ticketFields } from '../../src/schema/ticket.ts'
import { venueFields } from '../../src/schema/venue.ts'
import { faultsIn } from '../support/html-faults.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const DATES = { start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' }
const PLAIN = 'a 5 < 6 & "7" > \'2\' <3'

/** What a browser would take for a tag, a comment or another piece of markup. */
const MARKUP = [
  '<x onfocus=alert(1) autofocus tabindex=1>',
  '<script>alert(1)</script>',
  '<SCRIPT',
  '<a/href=javascript:alert(1)',
  '</a',
  '</textarea><img src=x onerror=alert(1)>',
  '<!-- a comment',
  '<!doctype html>',
  '<![CDATA[x',
  '<?php x ?>',
  '<me@example.org>',
  '<svg/onload=alert(1)>',
  '<<b onclick=x>',
]
const encoded = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const numbered = (text: string) => text.replaceAll('<', '&#x3C;').replaceAll('>', '&#62')

/** Each of them as it is, encoded up to four times, with numbers, and behind a text. */
const HOSTILE = MARKUP.flatMap((markup) => {
  const ways = [markup, encoded(markup), encoded(numbered(markup)), encoded(encoded(encoded(encoded(markup))))]
  return some([...ways, numbered(markup), `Behind ${markup}`, encoded(encoded(markup))], 4)
})

/** Where HTML is meant. */
const HTML = new Set(['description', 'excerpt', 'content_html'])

/** Every text in an answer that could be taken for markup, with the name of its field. */
function markupIn(value: Json, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => markupIn(one, name))
  if (typeof value === 'object' && value !== null) {
    const isLd = '@type' in value
    return Object.entries(value).flatMap(([key, one]) => markupIn(one, isLd ? `json_ld ${key}` : key))
  }
  if (typeof value !== 'string') return []
  const isBad = HTML.has(name) ? faultsIn(value).length > 0 : /<[a-z/!?]/i.test(value)
  return isBad ? [`${name}: ${value}`] : []
}

const RESOURCES: Record<string, { fields: Fields; least: object }> = {
  events: { fields: eventFields, least: { title: 'E', ...DATES } },
  venues: { fields: venueFields, least: { venue: 'V' } },
  organizers: { fields: organizerFields, least: { organizer: 'O' } },
  categories: { fields: categoryFields, least: { name: 'C' } },
  tags: { fields: tagFields, least: { name: 'T' } },
}

/** Fields that are texts for a client, whatever they hold; a password never comes back. */
const textsOf = (fields: Fields) =>
  Object.keys(fields).filter((name) => fields[name]?.kind.type === 'string' && name !== 'password')

describe('text fields', () => {
  let service: Service
  before(async () => {
    service = await startService({ writesTables: true })
  })
  after(() => service.close())

  const checked = async (path: string, options: object = {}): Promise<Json> => {
    const response = await service.call('editor', path, options)
    const body = response.json()
    assert.ok(response.statusCode < 500, response.body.slice(0, 200))
    assert.deepEqual(markupIn(body), [], `${path} ${JSON.stringify(options).slice(0, 300)}`)
    return response.statusCode < 300 ? body : null
  }

  for (const [path, { fields, least }] of Object.entries(RESOURCES)) {
    it(`of ${path} come back without anything that begins a tag`, async () => {
      const [named = ''] = Object.keys(least)
      const send = async (texts: Record<string, string>, n: string) => {
        const made = await checked(`/${path}`, { json: { ...least, [named]: `Name ${n}`, ...texts } })
        if (made !== null) await checked(`/${path}/${made.id}`)
        return made !== null
      }
      // Which fields take any text, and which have a form that refuses this one.
      const free: string[] = []
      for (const name of textsOf(fields)) if (await send({ [name]: `${MARKUP[0]} ${name}` }, name)) free.push(name)
      assert.ok(free.includes(named) && free.includes('description'), `${free}`)
      for (const [n, hostile] of HOSTILE.entries()) {
        const texts = Object.fromEntries(
          free.map((name) => [name, fields[name]?.required ? `${n} ${hostile}` : hostile]),
        )
        if ('cost' in texts) texts.cost = hostile.slice(0, 190)
        assert.ok(await send(texts, String(n)), `${hostile} was refused`)
      }
      for (let page = 1; page < 4; page++)
        await checked(`/${path}`, { query: { per_page: 50, page, hide_empty: false, start_date: '2031-01-01' } })
    })
  }

  it('of tickets, and of what is linked to an event, come back without it too', async () => {
    for (const hostile of HOSTILE) {
      const texts = (of: Fields) =>
        Object.fromEntries(
          ['address', 'city', 'phone', 'zip'].filter((name) => name in of).map((name) => [name, hostile]),
        )
      const json = {
        title: hostile,
        ...DATES,
        cost: hostile.slice(0, 150),
        venue: { venue: `V ${hostile}`, ...texts(venueFields) },
        organizer: { organizer: `O ${hostile}`, ...texts(organizerFields) },
        categories: [`C ${hostile}`],
        tags: [`T ${hostile}`],
        tickets: textsOf(ticketFields).map((name) => ({
          name: 'Seat',
          [name]: name === 'name' ? `S ${hostile}` : undefined,
        })),
      }
      const made = await checked('/events', { json })
      if (made !== null) await checked(`/events/by-slug/${made.slug}`)
    }
    await checked('/events', { query: { start_date: '2031-01-01', per_page: 50 } })
  })

  it('are kept as they were said where nothing in them begins a tag', async () => {
    const { id, address, venue } = await service.expect(201, 'editor', '/venues', {
      json: { venue: PLAIN, address: PLAIN },
    })
    assert.equal(address, PLAIN)
    assert.equal(venue, 'a 5 &lt; 6 &#038; &quot;7&quot; &gt; &#039;2&#039; &lt;3')
    // What was read is sent back, and is still the same.
    const json = { address: 'to <x> the end' }
    const once = await service.expect(200, 'editor', `/venues/${id}`, { method: 'PATCH', json })
    assert.equal(once.address, 'to &lt;x> the end')
    const again = await service.expect(200, 'editor', `/venues/${id}`, {
      method: 'PATCH',
      json: { address: once.address },
    })
    assert.equal(again.address, once.address)
  })

  it('that were stored before come back without it, in every format', async () => {
    const hostile = '<x onfocus=alert(1) autofocus> </a <!-- <?'
    const event = await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Old',
        ...DATES,
        venue: { venue: 'Old hall', address: 'x' },
        organizer: { organizer: 'Old guild', phone: '1' },
      },
    })
    await service.db.write(async (tx) => {
      const texts = { address: hostile, city: hostile, country: hostile, phone: hostile, state: hostile, zip: hostile }
      await tx
        .updateTable('venues')
        .set({ ...texts, venue: hostile })
        .where('id', '=', event.venue.id)
        .execute()
      await tx.updateTable('organizers').set({ organizer: hostile, phone: hostile }).execute()
      await tx.updateTable('events').set({ title: hostile, cost: hostile }).where('id', '=', event.id).execute()
      await tx.updateTable('terms').set({ name: hostile }).execute()
    })
    for (const role of [null, 'editor'] as const) {
      for (const path of [
        `/events/${event.id}`,
        `/venues/${event.venue.id}`,
        `/organizers/${event.organizer[0].id}`,
        '/tags',
        '/categories',
      ])
        assert.deepEqual(markupIn(await service.expect(200, role, path)), [], path)
      const query = { start_date: '2031-01-01', per_page: 50 }
      assert.deepEqual(markupIn(await service.expect(200, role, '/events', { query })), [])
    }
    assert.deepEqual(markupIn((await service.inject({ url: '/events.json?start_date=2031-01-01' })).json()), [])
    for (const path of [event.url, event.venue.url, event.organizer[0].url]) {
      const page = (await service.inject({ url: new URL(path).pathname })).body
      assert.doesNotMatch(page, /<x onfocus|<\?| <\/a | <!-- /)
    }
  })

  it('of a calendar that is imported are told without it', async () => {
    const raw = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:<x onfocus=alert(1)>\r\nDTSTART:<img src=x>\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
    const report = await service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
    assert.equal(report.skipped, 1)
    assert.deepEqual(markupIn(report), [])
  })
})
