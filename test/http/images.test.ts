import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { processTime } from '../support/cost.ts'
import { startS3 } from '../support/s3.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }
const LATER = { start_date: '2035-06-10', end_date: '2035-06-11' }
const EXIF = { IFD0: { Copyright: 'secret place', Artist: 'somebody' }, IFD3: { GPSLatitudeRef: 'N' } }

const picture = (width: number, height: number, background = '#3366aa') =>
  sharp({ create: { width, height, channels: 3, background } })

/** A PNG that claims to be of any size, in a few bytes. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(body))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, body, crc])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(Math.ceil(width / 8 + 1) * Math.min(height, 20_000)))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

describe('/images', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const upload = (
    raw: Buffer,
    role: 'author' | 'contributor' | 'editor' = 'author',
    type = 'application/octet-stream',
  ) => service.call(role, '/images', { method: 'POST', raw, headers: { 'content-type': type } })
  const kept = async (raw: Buffer): Promise<Json> => {
    const response = await upload(raw)
    assert.equal(response.statusCode, 201, response.body)
    return response.json()
  }
  const file = (url: string) => service.inject({ url: new URL(url).pathname })

  it('has an alternative text that shows at once in every record, on pages and in JSON-LD', async () => {
    const { id, alt } = await kept(await picture(31, 30).png().toBuffer())
    assert.equal(alt, '')
    const venue = await service.expect(201, 'author', '/venues', { json: { venue: 'Described Hall', image: id } })
    const event = await service.expect(201, 'author', '/events', {
      json: { title: 'Described', ...LATER, image: id, venue: venue.id },
    })
    const shown = async () => {
      const read = await service.expect(200, null, `/events/${event.id}`)
      const page = await service.inject({ url: `/event/${event.slug}/` })
      return [
        read.image.alt,
        read.venue.image.alt,
        read.json_ld.image.caption,
        /<img src[^>]*alt="([^"]*)"/.exec(page.body)?.[1],
      ]
    }
    assert.deepEqual(await shown(), ['', '', undefined, ''])
    const changed = await service.expect(200, 'author', `/images/${id}`, {
      json: { alt: 'A "red" wall & <b>more</b>' },
    })
    assert.equal(changed.alt, 'A "red" wall & more')
    assert.deepEqual(await shown(), [
      'A "red" wall & more',
      'A "red" wall & more',
      'A "red" wall & more',
      'A &quot;red&quot; wall &amp; more',
    ])
    const list = await service.expect(200, null, '/events', {
      query: { start_date: '2035-01-01', search: 'Described' },
    })
    assert.equal(list.events[0].image.alt, 'A "red" wall & more')
    await service.expect(200, 'editor', `/images/${id}`, { method: 'PATCH', json: { alt: '' } })
    assert.deepEqual(await shown(), ['', '', undefined, ''])
  })

  it('lets authors describe their own, editors all, and nobody else any', async () => {
    const { id } = await kept(await picture(32, 30).png().toBuffer())
    await service.expect(401, null, `/images/${id}`, { json: { alt: 'x' } })
    for (const role of ['subscriber', 'contributor'] as const)
      await service.expect(403, role, `/images/${id}`, { json: { alt: 'x' } })
    const other = (await upload(await picture(33, 30).png().toBuffer(), 'editor')).json().id
    await service.expect(403, 'author', `/images/${other}`, { json: { alt: 'x' } })
    await service.expect(404, 'editor', '/images/999999', { json: { alt: 'x' } })
    await service.expect(400, 'editor', `/images/${id}`, { json: { alt: ['x'] } })
    assert.equal((await service.expect(200, 'editor', `/images/${id}`)).alt, '')
  })

  it('finds pictures by text, file name, and the records that show them', async () => {
    const bytes = await picture(34, 30).png().toBuffer()
    const sent = await service.call('author', '/images', {
      raw: bytes,
      headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="Zebra Crossing.png"' },
    })
    const { id } = sent.json()
    const other = await kept(await picture(35, 30).png().toBuffer())
    await service.expect(200, 'author', `/images/${other.id}`, { json: { alt: 'A quagga' } })
    await service.expect(201, 'author', '/events', { json: { title: 'Okapi Day', ...LATER, image: other.id } })
    await service.expect(201, 'editor', '/events', {
      json: { title: 'Gnu Secret', ...LATER, image: other.id, status: 'draft' },
    })
    const found = async (search: string, role: 'author' | 'contributor' | 'editor' = 'author') =>
      (await service.expect(200, role, '/images', { query: { search } })).images.map((one: Json) => one.id)
    assert.deepEqual(await found('zebra'), [id])
    assert.deepEqual(await found('QUAGGA'), [other.id])
    assert.deepEqual(await found('okapi'), [other.id])
    assert.deepEqual(await found('gnu secret'), [])
    assert.deepEqual(await found('gnu secret', 'editor'), [other.id])
    assert.deepEqual(await found('%'), [])
    assert.ok((await found('')).length >= 2)
  })

  it('keeps a picture with its sizes, none of them larger than itself', async () => {
    const image = await kept(await picture(1600, 800).jpeg().toBuffer())
    assert.deepEqual([image.width, image.height, image.extension], [1600, 800, 'jpg'])
    const sizes = Object.fromEntries(
      Object.entries<Json>(image.sizes).map(([name, size]) => [name, [size.width, size.height, size['mime-type']]]),
    )
    assert.deepEqual(sizes, {
      thumbnail: [150, 150, 'image/jpeg'],
      medium: [300, 150, 'image/jpeg'],
      large: [1024, 512, 'image/jpeg'],
    })
    const small = await kept(await picture(100, 80).png().toBuffer())
    assert.deepEqual([small.width, small.sizes], [100, {}])
    const wide = await kept(await picture(280, 100).png().toBuffer())
    assert.deepEqual(Object.keys(wide.sizes), ['thumbnail'])
    assert.deepEqual([wide.sizes.thumbnail.width, wide.sizes.thumbnail.height], [150, 100])
  })

  it('serves its files with a long life and a safe type', async () => {
    const image = await kept(await picture(400, 300).webp().toBuffer())
    for (const { url, filesize, width } of [image, image.sizes.thumbnail, image.sizes.medium]) {
      const response = await file(url)
      assert.deepEqual(
        [response.statusCode, response.headers['content-type'], response.rawPayload.length],
        [200, 'image/webp', filesize],
      )
      assert.match(String(response.headers['cache-control']), /max-age=31536000, immutable/)
      assert.match(String(response.headers['content-security-policy']), /sandbox/)
      assert.equal((await sharp(response.rawPayload).metadata()).width, width)
    }
    for (const name of ['nothing.jpg', '..%2f..%2fkalends.sqlite', `${'0'.repeat(64)}.jpg`, `${'0'.repeat(64)}.svg`]) {
      assert.equal((await service.inject({ url: `/images/${name}` })).statusCode, 404)
    }
  })

  it('applies the orientation and strips what else the file tells', async () => {
    const turned = await picture(600, 300).withExif(EXIF).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    assert.ok(turned.includes('somebody') || (await sharp(turned).metadata()).orientation === 6)
    const image = await kept(turned)
    assert.deepEqual([image.width, image.height], [300, 600])
    const { rawPayload } = await file(image.url)
    const { exif, orientation } = await sharp(rawPayload).metadata()
    assert.deepEqual([exif, orientation], [undefined, undefined])
  })

  it('keeps the same bytes once, and animations moving', async () => {
    const bytes = await picture(200, 200, '#aa3333').gif().toBuffer()
    assert.equal((await kept(bytes)).id, (await kept(bytes)).id)
    const frames = await sharp(
      [await picture(200, 160, '#000').png().toBuffer(), await picture(200, 160, '#fff').png().toBuffer()],
      { join: { animated: true } },
    )
      .gif({ delay: [100, 100] })
      .toBuffer()
    const moving = await kept(frames)
    assert.equal(moving.height, 160)
    assert.equal((await sharp((await file(moving.url)).rawPayload).metadata()).pages, 2)
  })

  it('takes a form with a file, and a body of an image type', async () => {
    const bytes = await picture(20, 20, '#00ff00').png().toBuffer()
    const form = new FormData()
    form.set('caption', 'x')
    form.set('file', new File([new Uint8Array(bytes)], 'lies.svg', { type: 'image/svg+xml' }))
    const encoded = new Response(form)
    const type = encoded.headers.get('content-type') ?? ''
    const response = await upload(Buffer.from(await encoded.arrayBuffer()), 'author', type)
    assert.equal(response.statusCode, 201, response.body)
    assert.equal((await upload(bytes, 'author', 'image/jpeg')).json().id, response.json().id)
    assert.equal((await upload(Buffer.from('--x--'), 'author', 'multipart/form-data; boundary=x')).statusCode, 400)
    assert.equal((await upload(Buffer.alloc(0))).json().code, 'rest_missing_callback_param')
    assert.equal((await upload(Buffer.from('{}'), 'author', 'text/html')).statusCode, 415)
  })

  it('refuses what is no picture, or more than a picture', async () => {
    const png = await picture(10, 10).png().toBuffer()
    const jpeg = await picture(10, 10).jpeg().toBuffer()
    const refused: Record<string, Buffer> = {
      text: Buffer.from('hello'),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'an SVG with a lying start': Buffer.concat([Buffer.from('GIF89a'), Buffer.from('<svg onload="x"/>')]),
      'a page behind a picture': Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]),
      'an archive behind a picture': Buffer.concat([
        jpeg,
        Buffer.from('PK\x03\x04'),
        Buffer.alloc(40),
        Buffer.from('PK\x05\x06'),
        Buffer.alloc(18),
      ]),
      'a document in front': Buffer.concat([jpeg.subarray(0, 20), Buffer.from('%PDF-1.4'), jpeg.subarray(20)]),
      'half a picture': (await picture(500, 500).png().toBuffer()).subarray(0, 200),
      tiff: await picture(10, 10).tiff().toBuffer(),
    }
    for (const [what, bytes] of Object.entries(refused)) {
      const response = await upload(bytes, 'author', 'image/png')
      assert.equal(response.statusCode, 400, what)
      assert.deepEqual(Object.keys(response.json().data.params), ['file'], what)
    }
  })

  it('refuses a bomb without unpacking it', async () => {
    const start = processTime()
    const memory = process.memoryUsage().rss
    const response = await upload(bomb(20_000, 20_000), 'author', 'image/png')
    assert.deepEqual([response.statusCode, Object.keys(response.json().data.params)], [400, ['file']])
    assert.ok(processTime() - start < 3000)
    assert.ok(process.memoryUsage().rss - memory < 300e6)
  })

  it('refuses a file that is too large', async () => {
    assert.equal((await upload(Buffer.alloc(11 * 1024 * 1024), 'author', 'image/png')).statusCode, 413)
  })

  it('is for authors and up to fill, for contributors to look into, and for nobody else', async () => {
    const bytes = await picture(30, 30).png().toBuffer()
    const { id } = await kept(bytes)
    assert.equal((await upload(bytes, 'contributor')).statusCode, 403)
    await service.expect(200, 'contributor', `/images/${id}`)
    assert.ok((await service.expect(200, 'contributor', '/images', { query: { per_page: 1 } })).next_rest_url)
    await service.expect(403, 'subscriber', '/images')
    await service.expect(401, null, `/images/${id}`)
    await service.expect(404, 'editor', '/images/999999')
    await service.expect(403, 'contributor', `/images/${id}`, { method: 'DELETE' })
  })

  it('shows on events, venues and organizers, inside each other too, and goes when it is cleared', async () => {
    const { id, url } = await kept(await picture(50, 50).png().toBuffer())
    const event = await service.expect(201, 'author', '/events', {
      json: {
        title: 'Shown',
        ...WHEN,
        image: id,
        venue: { venue: 'Pictured', image: String(id) },
        organizer: { organizer: 'Pictured', image: id },
      },
    })
    assert.deepEqual(
      [event.image.url, event.venue.image.id, event.organizer[0].image.id, event.json_ld.image],
      [url, id, id, url],
    )
    const [listed] = (await service.expect(200, null, '/events', { query: { start_date: '2031-01-01' } })).events
    assert.deepEqual(listed.image, event.image)
    const kept2 = await service.expect(200, 'author', `/events/${event.id}`, {
      method: 'PATCH',
      json: { title: 'Still shown' },
    })
    assert.equal(kept2.image.id, id)
    const back = await service.expect(200, 'author', `/events/${event.id}`, { method: 'PUT', json: event })
    assert.equal(back.image.id, id)
    const cleared = await service.expect(200, 'author', `/events/${event.id}`, { method: 'PATCH', json: { image: '' } })
    assert.equal(cleared.image, false)
  })

  it('is not removed while it is shown, but with force', async () => {
    const image = await kept(await picture(60, 60).png().toBuffer())
    const venue = await service.expect(201, 'author', '/venues', { json: { venue: 'Uses it', image: image.id } })
    assert.equal(
      (await service.expect(409, 'author', `/images/${image.id}`, { method: 'DELETE' })).code,
      'image-in-use',
    )
    await service.expect(200, 'author', `/images/${image.id}`, { method: 'DELETE', query: { force: true } })
    assert.ok(!('image' in (await service.expect(200, null, `/venues/${venue.id}`))))
    assert.equal((await file(image.url)).statusCode, 404)
  })
})

describe('an image by its address', () => {
  let service: Service
  let server: Server
  let origin: string
  let asked: string[] = []
  before(async () => {
    const png = await picture(40, 40, '#123456').png().toBuffer()
    const other = await picture(41, 41, '#654321').png().toBuffer()
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      const path = request.url ?? ''
      if (path === '/picture.png') response.setHeader('content-type', 'text/html').end(png)
      else if (path === '/other.png') response.end(other)
      else if (path === '/lies.png') response.setHeader('content-type', 'image/png').end('<html>no picture</html>')
      else if (path === '/here') response.writeHead(302, { location: '/picture.png' }).end()
      else if (path === '/there') response.writeHead(302, { location: 'http://127.0.0.2:1/secret' }).end()
      else if (path === '/metadata')
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end()
      else if (path === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
      else if (path === '/round') response.writeHead(302, { location: '/round' }).end()
      else if (path === '/large') response.end(Buffer.alloc(11 * 1024 * 1024))
      else response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    origin = `http://127.0.0.1:${port}`
    service = await startService({ settings: { fetchHosts: `127.0.0.1:${port}` } })
  })
  after(async () => {
    await service.close()
    server.close()
  })

  const venue = (image: unknown, role: 'author' | 'contributor' = 'author') =>
    service.call(role, '/venues', { json: { venue: `V ${Math.random()}`, image } })
  const refused = async (image: unknown, role?: 'contributor') => {
    const response = await venue(image, role)
    assert.equal(response.statusCode, 400, response.body)
    assert.deepEqual(Object.keys(response.json().data.params), ['image'])
  }

  it('is fetched, also by way of a redirect, and told by its bytes', async () => {
    const response = await venue(`${origin}/picture.png`)
    assert.equal(response.statusCode, 201, response.body)
    const { image } = response.json()
    assert.deepEqual([image.width, image.extension], [40, 'png'])
    assert.equal((await venue(`${origin}/here`)).json().image.id, image.id)
    await refused(`${origin}/lies.png`)
  })

  it('is fetched for what an event brings along', async () => {
    const json = {
      title: 'E',
      ...WHEN,
      image: `${origin}/picture.png`,
      venue: [{ venue: 'In', image: `${origin}/here` }],
    }
    const event = await service.expect(201, 'author', '/events', { json })
    assert.deepEqual([event.image.width, event.venue.image.id], [40, event.image.id])
    const changed = await service.expect(200, 'author', `/events/${event.id}`, {
      method: 'PATCH',
      json: { image: `${origin}/here` },
    })
    assert.equal(changed.image.id, event.image.id)
  })

  it('is not fetched from where it leads into a closed network, or nowhere', async () => {
    for (const path of ['/there', '/metadata', '/file', '/round', '/large', '/missing']) await refused(origin + path)
    const closed = [
      '127.0.0.1',
      '127.1',
      '0',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '172.16.0.1',
      '100.64.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
      '[fe80::1]',
      '[::ffff:a00:1]',
      '[64:ff9b::7f00:1]',
      'localhost',
      '2130706433',
      '0x7f.1',
    ]
    for (const host of closed) await refused(`http://${host}:9/x.png`)
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'ftp://example.org/x.png',
      'data:image/png;base64,xxxx',
      'http://',
      'nothing',
    ])
      await refused(url)
  })

  it('is not fetched for those who may not', async () => {
    asked = []
    await refused(`${origin}/picture.png`, 'contributor')
    await service.call('subscriber', '/venues', { json: { venue: 'V', image: `${origin}/picture.png` } })
    await service.call(null, '/venues', { json: { venue: 'V', image: `${origin}/picture.png` } })
    const { id } = (await venue(undefined)).json()
    await service.call('contributor', `/venues/${id}`, { method: 'PATCH', json: { image: `${origin}/picture.png` } })
    assert.deepEqual(asked, [])
  })

  it('leaves no image behind when the rest is refused', async () => {
    const total = async () => (await service.expect(200, 'author', '/images')).total
    const before = await total()
    asked = []
    await service.expect(400, 'author', '/events', { json: { title: '', ...WHEN, image: `${origin}/other.png` } })
    assert.deepEqual(asked, ['/other.png'])
    assert.equal(await total(), before)
  })
})

describe('images in an S3-compatible store', () => {
  it('are put, served and removed, with signed requests', async () => {
    const { files, settings, close } = await startS3()
    const service = await startService({ settings })
    const response = await service.inject({
      method: 'POST',
      url: '/calendar/events/v1/images',
      headers: { authorization: basic('author'), 'content-type': 'image/png' },
      payload: await picture(200, 200).png().toBuffer(),
    })
    assert.equal(response.statusCode, 201, response.body)
    const image = response.json()
    assert.equal(files.size, 2)
    const served = await service.inject({ url: new URL(image.url).pathname })
    assert.deepEqual([served.statusCode, served.rawPayload.length], [200, image.filesize])
    await service.expect(200, 'author', `/images/${image.id}`, { method: 'DELETE' })
    assert.equal(files.size, 0)
    assert.equal((await service.inject({ url: new URL(image.url).pathname })).statusCode, 404)
    await service.close()
    close()
  })
})
