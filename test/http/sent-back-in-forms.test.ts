import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { ENCODINGS, type Encoding, encoded } from '../support/encodings.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Texts with every way to end a line: a JSON body may bring any of them. */
const LINES = 'one\ntwo\r\nthree\rfour'
const TIMES = { start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }

describe('what was read and is sent back, as JSON or as a form', () => {
  let service: Service
  let now = Math.floor(Date.parse('2031-01-01T00:00:00Z') / 1000)
  /** Paths of records that have all fields, and of such that have few. */
  const paths: string[] = []
  let image: number
  let full: string
  before(async () => {
    service = await startService({ clock: () => now })
    const raw = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const made = async (list: string, json: object) => {
      const record = await service.expect(201, 'administrator', list, { json })
      paths.push(`${list}/${record.id}`)
      return record.id
    }
    image = (await service.expect(201, 'editor', '/images', { raw, headers: { 'content-type': 'image/png' } })).id
    paths.push(`/images/${image}`)
    await service.expect(200, 'editor', paths[0] ?? '', { method: 'PATCH', json: { alt: LINES } })
    const parent = await made('/events', { title: 'Few', ...TIMES })
    const above = await made('/categories', { name: LINES, description: LINES })
    const category = await made('/categories', { name: 'Below', parent: above, description: `<pre>${LINES}</pre>` })
    const tag = await made('/tags', { name: 'Loud, and clear' })
    const address = { address: LINES, city: 'Lyon', country: 'France', province: 'A', state: 'B', zip: '01' }
    const place = { geo_lat: 43.2951, geo_lng: -0.0000001, show_map: false, phone: '1', website: 'https://a.example/' }
    const venue = await made('/venues', { venue: LINES, description: LINES, image, ...address, ...place })
    const few = await made('/venues', { venue: 'Few' })
    const organizer = await made('/organizers', { organizer: 'A', email: 'a@example.org', phone: '2', image })
    const everything = {
      title: LINES,
      ...TIMES,
      description: LINES,
      excerpt: LINES,
      image,
      cost: '20 or 10 €',
      featured: true,
      categories: [category],
      tags: [tag],
      venue: [venue, few],
      organizer: [organizer],
      tickets: [{ name: LINES, price: '5', currency: 'EUR', capacity: 3, available_from: '2031-06-01' }, { name: 'B' }],
    }
    full = `/events/${await made('/events', { ...everything, parent })}`
    await made('/events', { ...everything, venue, website: 'https://b.example/', password: 'sesame' })
    await made('/events', { ...everything, recurrence: { rule: 'FREQ=DAILY;COUNT=3' } })
    await made('/users', { name: 'mara', email: 'mara@example.org', role: 'author' })
    await made('/webhooks', { url: 'https://example.org/hook', events: ['event.created', 'tag.*'].slice(0, 1) })
  })
  after(() => service.close())

  const versions = async (path: string) =>
    /^\/(events|venues|organizers)/.test(path)
      ? (await service.expect(200, 'administrator', `${path}/versions`)).versions.length
      : 0
  const read = async (path: string) => ({
    record: (await service.expect(200, 'administrator', path)) as Json,
    versions: await versions(path),
    logged: (await service.expect(200, 'administrator', '/audit')).total,
  })
  const send = async (path: string, fields: object, encoding: Encoding, method: 'PUT' | 'PATCH' = 'PUT') =>
    service.expect(200, 'administrator', path, { method, ...(await encoded(fields, encoding)) })

  it('changes nothing of any resource: no version, no time of change, no entry of the log', async () => {
    for (const path of paths) {
      const before = await read(path)
      for (const encoding of ENCODINGS) {
        now += 60
        await send(path, before.record, encoding)
        assert.deepEqual(await read(path), before, `${path} as ${encoding}`)
        // Some clients send what they show, one field at a time.
        for (const [name, value] of Object.entries(before.record))
          if (encoding === 'multipart') await send(path, { [name]: value }, encoding, 'PATCH')
        assert.deepEqual(await read(path), before, `the fields of ${path} as ${encoding}, one at a time`)
      }
    }
  })

  it('changes the one field that differs', async () => {
    const { record } = await read(full)
    for (const encoding of ENCODINGS) {
      now += 60
      const { modified_utc, modified, ...changed } = await send(full, { ...record, cost_text: encoding }, encoding)
      assert.deepEqual(
        { ...changed, json_ld: null },
        {
          ...Object.fromEntries(Object.entries(record).filter(([name]) => !/^modified/.test(name))),
          cost: encoding,
          cost_text: encoding,
          cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
          json_ld: null,
        },
      )
    }
    await send(full, record, 'multipart')
    assert.equal((await read(full)).record.cost_text, record.cost_text)
  })

  it('has lines that end by LF', async () => {
    for (const encoding of ['form', 'multipart'] as const) {
      const fields = { name: `a\nb ${encoding}`, description: 'c\n\nd' }
      const sent = await encoded(fields, encoding)
      const { name, description } = await service.expect(201, 'editor', '/tags', { method: 'POST', ...sent })
      assert.deepEqual({ name, description }, fields)
    }
  })

  it('clears an image, a venue and an organizer by the word false', async () => {
    for (const encoding of ENCODINGS)
      for (const name of ['image', 'venue', 'organizer']) {
        const { record } = await read(full)
        const changed = await send(full, { [name]: 'false' }, encoding, 'PATCH')
        assert.deepEqual(changed[name], name === 'image' ? false : [], `${name} as ${encoding}`)
        const back = name === 'image' ? { image } : { [name]: record[name].map((one: Json) => one.id) }
        await service.expect(200, 'editor', full, { method: 'PATCH', json: back })
      }
  })
})
