import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { cpuTime } from '../support/cost.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'E', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00' }

/** What one request may take, with room for a loaded machine: 50 ms for reading its body, and as much for the rest. */
const LONGEST = 100

const times = (count: number, part: (n: number) => string, between = ',') =>
  Array.from({ length: count }, (_, n) => part(n)).join(between)

describe('a JSON body', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const send = (raw: string) =>
    service.call('contributor', '/events', { raw, headers: { 'content-type': 'application/json' } })

  const worst: Record<string, string> = {
    'lists in lists': `{"title":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    'lists that are not closed': '['.repeat(1_000_000),
    'objects in objects': `{"venue":${'{"venue":'.repeat(90_000)}1${'}'.repeat(90_000)}}`,
    'different keys': `{${times(85_000, (n) => `"k${n}":1`)}}`,
    'keys that are numbers': `{${times(85_000, (n) => `"${n * 7}":1`)}}`,
    'empty objects': `{"venue":[${times(300_000, () => '{}')}]}`,
    'objects of different shapes': `{"venue":[${times(65_000, (n) => `{"k${n}":1}`)}]}`,
    'one key over and over': `{${times(150_000, () => '"a":1')}}`,
    'different texts': `{"tags":[${times(110_000, (n) => `"${n}"`)}]}`,
    'numbers beyond all bounds': `{"venue":[${times(150_000, () => '1e999')}]}`,
    'quotes in a text': `{"title":"${'\\"'.repeat(500_000)}"}`,
    'backslashes in a text': `{"title":"${'\\\\'.repeat(500_000)}"}`,
    'brackets in a text': `{"title":"${'[{,'.repeat(300_000)}"}`,
    'a text that is not closed': `{"title":"${'x'.repeat(1_000_000)}`,
  }
  for (const [what, raw] of Object.entries(worst)) {
    it(`of ${what} is refused in no time`, async () => {
      const spent = await cpuTime(async () => assert.equal((await send(raw)).statusCode, 400))
      assert.ok(spent < LONGEST, `it took ${spent} ms`)
    })
  }

  it('is told what is too much of it', async () => {
    const many = (await send(`{"a":[${times(30_000, () => '1')}]}`)).json()
    assert.equal(many.code, 'rest_too_many_fields')
    const deep = (await send(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).json()
    assert.deepEqual([deep.code, /nested/.test(deep.message)], ['rest_invalid_json', true])
  })

  it('may hold many lists and objects side by side', async () => {
    const json = { name: 'Side by side', lists: Array(100).fill([]), objects: Array(100).fill({}) }
    await service.expect(201, 'editor', '/tags', { json })
  })

  it('may hold brackets, commas and quotes in its texts', async () => {
    const description = `<p>${'[{"a", \\ ,]}'.repeat(5000)}</p>`
    const event = await service.expect(201, 'editor', '/events', { json: { ...EVENT, description } })
    assert.equal(event.description, description)
  })
})

describe('a multipart body', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { bodyLimit: '100000', uploadLimit: '3000000' } })
  })
  after(() => service.close())

  type Field = readonly [name: string, value: string | File]
  const encoded = async (fields: readonly Field[]) => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const response = new Response(form)
    return {
      raw: Buffer.from(await response.arrayBuffer()),
      headers: { 'content-type': response.headers.get('content-type') ?? '' },
    }
  }
  const picture = async (colour: string) => {
    const bytes = await sharp({ create: { width: 30, height: 20, channels: 3, background: colour } })
      .png()
      .toBuffer()
    return new File([new Uint8Array(bytes)], 'x.png', { type: 'image/png' })
  }
  const sent = async (
    status: number,
    role: Parameters<Service['call']>[0],
    path: string,
    fields: readonly Field[],
    method: 'POST' | 'PUT' | 'PATCH' = 'POST',
  ): Promise<Json> => service.expect(status, role, path, { ...(await encoded(fields)), method })

  const raw = (boundary: string, body: string | Buffer, path = '/events', role: 'author' | 'editor' = 'editor') =>
    service.call(role, path, { raw: body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } })
  const part = (head: string, body = 'x') => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`

  it('of fields means the same as a form, on every kind of record', async () => {
    const event = await sent(201, 'editor', '/events', [
      ['title', 'Müller & “Söhne”'],
      ['start_date', '2031-06-10'],
      ['end_date', '2031-06-11'],
      ['description', 'one\r\n\r\ntwo'],
      ['venue[venue]', 'Hall'],
      ['venue[city]', 'Lyon'],
      ['organizer[0][organizer]', 'A'],
      ['organizer[1][organizer]', 'B'],
      ['tags[]', 'x'],
      ['tags[]', 'y'],
      ['categories', 'One,Two'],
    ])
    assert.equal(event.title, 'Müller &#038; “Söhne”')
    assert.deepEqual([event.venue.city, event.organizer.length, event.tags.length], ['Lyon', 2, 2])
    assert.deepEqual([event.categories.length, event.description], [2, '<p>one</p>\n<p>two</p>'])
    for (const method of ['POST', 'PUT', 'PATCH'] as const) {
      const changed = await sent(200, 'editor', `/events/${event.id}`, [['title', method]], method)
      assert.deepEqual([changed.title, changed.venue.city], [method, 'Lyon'])
    }
    const cleared = await sent(200, 'editor', `/events/by-slug/${event.slug}`, [['tags[]', '']], 'PUT')
    assert.deepEqual([cleared.tags, cleared.categories.length], [[], 2])
    const names = { venues: 'venue', organizers: 'organizer', categories: 'name', tags: 'name' }
    for (const [plural, name] of Object.entries(names)) {
      const { id } = await sent(201, 'editor', `/${plural}`, [[name, `M ${plural}`]])
      const changed = await sent(
        200,
        'editor',
        `/${plural}/${id}`,
        [
          [name, 'Renamed'],
          ['description', 'd'],
        ],
        'PATCH',
      )
      assert.deepEqual([changed[name], /d/.test(changed.description)], ['Renamed', true])
    }
  })

  it('is refused as a form is: all that is wrong at once, and nothing is kept', async () => {
    const error = await sent(400, 'editor', '/events', [
      ['title', ''],
      ['start_date', 'x'],
      ['venue[venue]', 'Lost'],
    ])
    assert.deepEqual([error.code, error.data.params], ['rest_missing_callback_param', ['end_date']])
    assert.deepEqual(Object.keys(error.data.invalid_params).sort(), ['start_date', 'title'])
    assert.equal((await service.expect(200, 'editor', '/venues?search=Lost')).total, 0)
    await sent(401, null, '/events', [['title', 'x']])
    await sent(403, 'subscriber', '/events', [['title', 'x']])
  })

  it('brings the image of a record as a file', async () => {
    const fields: Field[] = Object.entries(EVENT)
    const event = await sent(201, 'author', '/events', [...fields, ['image', await picture('#ff0000')]])
    assert.deepEqual([event.image.width, event.image.height], [30, 20])
    const changed = await sent(200, 'author', `/events/${event.id}`, [['image', await picture('#00ff00')]], 'PATCH')
    assert.notEqual(changed.image.id, event.image.id)
    const unchanged = await sent(200, 'author', `/events/${event.id}`, [['image', new File([], '')]], 'PATCH')
    assert.equal(unchanged.image.id, changed.image.id)
    const none = `${part('name="image"; filename=""\r\nContent-Type: image/png', '')}${part('name="cost"', '5')}--b--`
    assert.equal((await raw('b', none, `/events/${event.id}`)).json().image.id, changed.image.id)
    const venue = await sent(201, 'author', '/venues', [
      ['venue', 'Pictured'],
      ['image', await picture('#0000ff')],
    ])
    assert.equal(venue.image.width, 30)
    const inside = await sent(201, 'author', '/events', [
      ...fields,
      ['venue[venue]', 'Inside'],
      ['venue[image]', await picture('#ffff00')],
    ])
    assert.equal(inside.venue.image.width, 30)
  })

  it('is told which file it may not bring, and why', async () => {
    const fields: Field[] = Object.entries(EVENT)
    const params = async (role: 'author' | 'contributor', more: Field) =>
      (await sent(400, role, '/events', [...fields, more])).data.params
    assert.deepEqual(Object.keys(await params('author', ['image', new File(['hello'], 'x.png')])), ['image'])
    assert.match((await params('contributor', ['image', await picture('#fff')])).image, /authors and above/)
    assert.deepEqual(Object.keys(await params('author', ['excerpt', new File(['hello'], 'x.txt')])), ['excerpt'])
    assert.deepEqual(Object.keys(await params('author', ['venue', new File(['hello'], 'x.txt')])), ['venue'])
    assert.deepEqual(Object.keys(await params('author', ['tags[]', new File(['hello'], 'x.txt')])), ['tags'])
    const { total } = await service.expect(200, 'editor', '/images')
    await params('contributor', ['image', await picture('#123456')])
    assert.equal((await service.expect(200, 'editor', '/images')).total, total)
  })

  it('that is malformed is refused as such', async () => {
    for (const body of [
      'x',
      '',
      '--b',
      '--b\r\n',
      '--b\r\n\r\n--b--',
      part('name="title"'),
      `${part('title="name"')}--b--`,
      `--b\r\nname="title"\r\n\r\nx\r\n--b--`,
      `--b\r\nContent-Disposition: form-data; name="title"\r\nx\r\n--b--`,
      `--b\r\nContent-Disposition: form-data; name="${'x'.repeat(20_000)}"\r\n\r\nx\r\n--b--`,
      `${part('name="title"')}--bb--`,
    ]) {
      const { statusCode } = await raw('b', body)
      assert.equal(statusCode, 400, body.slice(0, 60))
    }
    for (const boundary of ['', '"b', 'b'.repeat(100)])
      assert.equal((await raw(boundary, `${part('name="a"')}--b--`)).statusCode, 400)
    const junk = `${part('name="name"', 'T').replace('--b', '--bjunk')}--b--`
    assert.equal((await raw('b', junk, '/tags')).statusCode, 400)
    const bytes = Buffer.from(`${part('name="title"', '\u00ff')}--b--`, 'latin1')
    assert.equal((await raw('b', bytes)).statusCode, 400)
  })

  it('is read however its parts are headed', async () => {
    const heads = [
      'name="title"',
      'name=title',
      'NAME="title"; x=y',
      'x="; name=\\"other\\""; name="title"',
      'x="name=other";name="title"\r\nContent-Type: text/plain; charset=utf-8',
    ]
    for (const head of heads) {
      const body = `a preamble\r\n${part('name="start_date"', '2031-01-01')}${part('name="end_date"', '2031-01-02')}${part(head, 'T')}--b--\r\nand more`
      const response = await raw('b', body)
      assert.deepEqual([response.statusCode, response.json().title], [201, 'T'], head)
    }
    const named = `${part('name="venue%22"', 'x')}${part('name="venue"', 'a --b')}--b--`
    assert.equal((await raw('"b"', named, '/venues')).json().venue, 'a --b')
  })

  it('may have as many fields as a form, and as much text', async () => {
    const many = (count: number) => `${part('name="a[]"').repeat(count)}${part('name="name"', 'Many')}--b--`
    assert.equal((await raw('b', many(4999), '/tags')).statusCode, 201)
    assert.equal((await raw('b', many(5000), '/tags')).json().code, 'rest_too_many_fields')
    assert.equal((await raw('b', `${part('name="a"', 'x'.repeat(1_200_000))}--b--`, '/tags')).statusCode, 413)
    assert.equal((await raw('b', `${part('name="a"', 'x'.repeat(3_100_000))}--b--`, '/tags')).statusCode, 413)
  })

  it('has no more text where files are taken', async () => {
    const site = await startService({ settings: { bodyLimit: '100000', uploadLimit: '3000000', suggest: 'yes' } })
    const send = async (type: string, payload: string) =>
      (await site.inject({ method: 'POST', url: '/suggest', headers: { 'content-type': type }, payload })).statusCode
    for (const [length, status] of [
      [90_000, 400],
      [200_000, 413],
    ] as const) {
      assert.equal(await send('application/x-www-form-urlencoded', `title=${'x'.repeat(length)}`), status)
      assert.equal(await send('application/json', JSON.stringify({ title: 'x'.repeat(length) })), status)
      const form = `${part('name="title"', 'x'.repeat(length))}--b--`
      assert.equal(await send('multipart/form-data; boundary=b', form), status)
    }
    await site.close()
  })

  const worst: Record<string, string> = {
    'many parts': part('name="a"', '').repeat(50_000),
    'many parts that are empty': '--b\r\n\r\n\r\n'.repeat(290_000),
    'many boundaries': '\r\n--b'.repeat(590_000),
    'many files': part('name="a"; filename="a"', '').repeat(40_000),
    'many parameters of a part': part('; a'.repeat(2000)).repeat(480),
    'quotes that are not closed': part('a="'.repeat(2000)).repeat(480),
    'a boundary that nearly comes': `${part('name="a"', '\r\n--a'.repeat(190_000))}--b--`,
    'lines without end': '\r\n'.repeat(1_490_000),
    'dashes without end': '-'.repeat(2_990_000),
  }
  for (const [what, body] of Object.entries(worst)) {
    for (const path of ['/events', '/images', '/import']) {
      it(`of ${what} is refused by ${path} in no time`, async () => {
        const spent = await cpuTime(async () => {
          const { statusCode } = await raw('b', body, path)
          assert.ok(statusCode === 400 || statusCode === 413, String(statusCode))
        })
        assert.ok(spent < LONGEST, `it took ${spent} ms`)
      })
    }
  }

  it('of a boundary that is hard to look for is read in no time', async () => {
    for (const boundary of ['-'.repeat(70), 'ab'.repeat(35), `${'a'.repeat(69)}b`, `b${'a'.repeat(69)}`]) {
      for (const text of ['-', 'ab', 'a', `\r\n--${boundary.slice(0, -1)}`, `\r\n--${boundary.slice(1)}`]) {
        const body = `--${boundary}\r\n${text.repeat(2_900_000 / text.length)}`
        const spent = await cpuTime(() => raw(boundary, body, '/images'))
        assert.ok(spent < LONGEST, `${boundary.slice(0, 4)} in ${text.slice(0, 6)} took ${spent} ms`)
      }
    }
  })
})
