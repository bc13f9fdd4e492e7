import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { ROLES } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 21:00' }
let width = 40
/** A picture that no other test has. */
const picture = () =>
  sharp({ create: { width: width++, height: 30, channels: 3, background: '#3366aa' } })
    .png()
    .toBuffer()
const png = async (name: string) => ({ name, bytes: await picture(), type: 'image/png' })
const numbers = (body: string) => [...body.matchAll(/href="\/manage\/images\/(\d+)"/g)].map(([, id]) => Number(id))

describe('the library of images', () => {
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService()
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const add = async (name = 'picture.png', by = editor): Promise<number> => {
    const sent = await by.upload('/manage/images', { do: 'upload' }, { file: await png(name) })
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, '/manage/images?done=uploaded'], sent.body)
    return Math.max(...numbers((await by.get('/manage/images')).body))
  }
  const read = (id: number): Promise<Json> => service.expect(200, 'editor', `/images/${id}`)

  it('takes several files, and names those that are none', async () => {
    const before = numbers((await editor.get('/manage/images')).body).length
    const sent = await editor.upload(
      '/manage/images',
      { do: 'upload' },
      { 'file[0]': await png('one.png'), 'file[1]': await png('two.png') },
    )
    assert.equal(sent.statusCode, 303)
    const refused = await editor.upload(
      '/manage/images',
      { do: 'upload' },
      {
        'file[0]': await png('three.png'),
        'file[1]': { name: '<b>bad.png', bytes: Buffer.from('no picture'), type: 'image/png' },
      },
    )
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="file"[^>]*aria-invalid="true"/)
    assert.match(refused.body, /&lt;b&gt;bad\.png: /)
    assert.equal(numbers((await editor.get('/manage/images')).body).length, before + 3)
    const none = await editor.upload('/manage/images', { do: 'upload' }, {})
    assert.equal(none.statusCode, 400)
  })

  it('finds images by text, file name and use', async () => {
    const id = await add('Quagga.png')
    assert.deepEqual(numbers((await editor.get('/manage/images?search=quagga')).body), [id])
    await editor.post(`/manage/images/${id}`, { alt: 'A striped animal', do: 'save' })
    assert.deepEqual(numbers((await editor.get('/manage/images?search=STRIPED')).body), [id])
    await service.expect(201, 'editor', '/events', { json: { title: 'Zoo Night', ...WHEN, image: id } })
    assert.deepEqual(numbers((await editor.get('/manage/images?search=zoo+night')).body), [id])
    assert.deepEqual(numbers((await editor.get('/manage/images?search=nothing+like+it')).body), [])
    assert.equal((await editor.get('/manage/images?page=abc')).statusCode, 200)
  })

  it('keeps the alternative text, which pages and answers show at once', async () => {
    const id = await add()
    const event = await service.expect(201, 'editor', '/events', { json: { title: 'Shown', ...WHEN, image: id } })
    const saved = await editor.post(`/manage/images/${id}`, { alt: 'Boats', do: 'save' })
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, `/manage/images/${id}?done=saved`])
    assert.equal((await service.expect(200, null, `/events/${event.id}`)).image.alt, 'Boats')
    assert.match((await service.inject({ url: `/event/${event.slug}/` })).body, /<img src[^>]*alt="Boats"/)
    const { body } = await editor.get(`/manage/images/${id}`)
    assert.match(body, /name="alt"[^>]*>\nBoats<\/textarea>/)
    assert.match(body, new RegExp(`href="/manage/events/${event.id}"[^>]*>Shown`))
    const refused = await editor.post(`/manage/images/${id}`, { alt: `A\u0000`, do: 'save' })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="alt"[^>]*aria-invalid="true"/)
    assert.equal((await read(id)).alt, 'Boats')
  })

  it('removes images that nothing uses, and no others', async () => {
    const [used, unused] = [await add(), await add()]
    await service.expect(201, 'editor', '/venues', { json: { venue: 'With a picture', image: used } })
    assert.equal((await editor.post(`/manage/images/${used}`, { do: 'delete' })).statusCode, 400)
    assert.equal((await read(used)).id, used)
    const removed = await editor.post(`/manage/images/${unused}`, { do: 'delete' })
    assert.deepEqual([removed.statusCode, removed.headers.location], [303, '/manage/images?done=deleted'])
    await service.expect(404, 'editor', `/images/${unused}`)
    assert.equal((await editor.get(`/manage/images/${unused}`)).statusCode, 404)
  })

  it('is open to those who may create, and does no more than these may', async () => {
    const foreign = await add()
    await editor.post(`/manage/images/${foreign}`, { alt: 'Of the editor', do: 'save' })
    for (const role of ROLES) {
      const staff = await signIn(service, role)
      const mayLook = role !== 'subscriber'
      const mayUpload = mayLook && role !== 'contributor'
      const mayChange = role === 'editor' || role === 'administrator'
      assert.equal((await staff.get('/manage/images')).statusCode, mayLook ? 200 : 403, role)
      assert.equal((await staff.get('/manage/images/new')).statusCode, mayUpload ? 200 : 403, role)
      assert.equal((await staff.get(`/manage/images/${foreign}`)).statusCode, mayLook ? 200 : 403, role)
      const sent = await staff.upload('/manage/images', { do: 'upload' }, { file: await png('role.png') })
      assert.equal(sent.statusCode, mayUpload ? 303 : 403, role)
      if (mayChange) continue
      for (const action of ['save', 'delete'])
        assert.equal(
          (await staff.post(`/manage/images/${foreign}`, { alt: 'Taken', do: action })).statusCode,
          403,
          `${role} ${action}`,
        )
    }
    assert.equal((await read(foreign)).alt, 'Of the editor')
    const author = await signIn(service, 'author')
    const own = await add('own.png', author)
    assert.equal((await author.post(`/manage/images/${own}`, { alt: 'Mine', do: 'save' })).statusCode, 303)
    assert.equal((await author.post(`/manage/images/${own}`, { do: 'delete' })).statusCode, 303)
    assert.equal((await service.inject({ url: '/manage/images' })).headers.location, '/sign-in?next=%2Fmanage%2Fimages')
  })

  it('changes nothing without the token of the session', async () => {
    const id = await add()
    for (const action of ['save', 'delete']) {
      const refused = await editor.post(`/manage/images/${id}`, { csrf: 'wrong', alt: 'Forged', do: action })
      assert.equal(refused.statusCode, 403)
    }
    const sent = await editor.upload(
      '/manage/images',
      { csrf: 'wrong', do: 'upload' },
      { file: await png('forged.png') },
    )
    assert.equal(sent.statusCode, 403)
    assert.deepEqual(numbers((await editor.get('/manage/images?search=forged')).body), [])
    assert.equal((await read(id)).alt, '')
  })

  it('shows names and texts as text', async () => {
    const bad = `x"><script>alert(1)</script><img src=x onerror=alert(2)>`
    const id = await add(bad.replaceAll('"', '%22'))
    await editor.post(`/manage/images/${id}`, {
      alt: `Alt & "quoted" &lt;script&gt;alert(1)&lt;/script&gt;`,
      do: 'save',
    })
    await service.expect(201, 'editor', '/events', { json: { title: `T &lt;script&gt;alert(1)`, ...WHEN, image: id } })
    const event = (
      await service.expect(200, 'editor', '/events', { query: { search: 'T <script>', start_date: '2031-01-01' } })
    ).events[0]
    const pages = [
      '/manage/images',
      `/manage/images/${id}`,
      `/manage/images?search=${encodeURIComponent(bad)}`,
      ...(event ? [`/manage/events/${event.id}`, `/event/${event.slug}/`] : []),
    ]
    for (const path of pages) {
      const { body, statusCode } = await editor.get(path)
      assert.equal(statusCode, 200, path)
      assert.doesNotMatch(body, /<script>alert|<img src=x/i, path)
    }
  })

  it('gives the editor of events its images, with their texts', async () => {
    const id = await add('library.png')
    const form = { title: 'From the library', start_date: '2031-06-10T19:00', end_date: '2031-06-10T21:00', do: 'save' }
    const made = await editor.post('/manage/events/new', { ...form, image: String(id), image_alt: 'From the library' })
    assert.equal(made.statusCode, 303, made.body)
    const event = Number(/\/(\d+)\?/.exec(String(made.headers.location))?.[1])
    const image = async () => (await service.expect(200, null, `/events/${event}`)).image
    assert.deepEqual([(await image()).id, (await image()).alt], [id, 'From the library'])
    const { body } = await editor.get(`/manage/events/${event}`)
    assert.match(body, new RegExp(`name="image" value="${id}"`))
    assert.match(body, /name="image_alt" value="From the library"/)

    // Another image keeps its own text, though the form still has that of the first.
    const other = await add('other.png')
    await editor.post(`/manage/images/${other}`, { alt: 'Another text', do: 'save' })
    await editor.post(`/manage/events/${event}`, { image: String(other), image_alt: 'From the library', do: 'save' })
    assert.deepEqual([(await image()).id, (await image()).alt], [other, 'Another text'])
    assert.equal((await read(id)).alt, 'From the library')

    // A new file with its text.
    const sent = await editor.upload(
      `/manage/events/${event}`,
      { image: String(other), image_alt: 'A new file', do: 'save' },
      { image_file: await png('new.png') },
    )
    assert.equal(sent.statusCode, 303, sent.body)
    assert.notEqual((await image()).id, other)
    assert.equal((await image()).alt, 'A new file')
    assert.equal((await read(other)).alt, 'Another text')

    // The text of the image that is there already.
    await editor.post(`/manage/events/${event}`, { image_alt: 'Changed', do: 'save' })
    assert.equal((await image()).alt, 'Changed')
    const unknown = await editor.post(`/manage/events/${event}`, { image: '999999', do: 'save' })
    assert.equal(unknown.statusCode, 400)
    assert.match(unknown.body, /name="image"[^>]*aria-invalid="true"/)
  })

  it('lets nobody describe the image of another through an event', async () => {
    const id = await add('foreign.png')
    await editor.post(`/manage/images/${id}`, { alt: 'Of the editor', do: 'save' })
    const author = await signIn(service, 'author')
    const form = { title: 'Mine', start_date: '2031-06-10T19:00', end_date: '2031-06-10T21:00', do: 'save' }
    const refused = await author.post('/manage/events/new', { ...form, image: String(id), image_alt: 'Taken over' })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="image_alt"[^>]*aria-invalid="true"/)
    assert.equal((await read(id)).alt, 'Of the editor')
    const used = await author.post('/manage/events/new', { ...form, image: String(id), image_alt: 'Of the editor' })
    assert.equal(used.statusCode, 303)
  })
})
