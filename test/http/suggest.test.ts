import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import sharp from 'sharp'
import { type Json, type Service, startService } from '../support/service.ts'
import { MULTIPART, multipart, type SentFile, type Staff, signIn } from '../support/staff.ts'

/** Each stranger has an address, so that the limits on one do not end the tests. */
let strangers = 0

describe('the form for suggestions', () => {
  let service: Service
  let editor: Staff
  let now = Math.floor(Date.parse('2031-01-10T12:00:00Z') / 1000)
  before(async () => {
    service = await startService({
      settings: { suggest: 'yes', trustProxy: '127.0.0.1' },
      clock: () => now,
    })
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const EVENT = { title: 'Jazz in the Park', start_date: '2031-06-10T19:00' }
  const tokenIn = (body: string) => /name="form" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const open = async (path = '/suggest') => tokenIn((await service.inject({ url: path })).body)
  const post = (
    fields: Record<string, string>,
    { files = {}, from = `198.51.100.${++strangers}`, path = '/suggest' } = {} as {
      files?: Record<string, SentFile>
      from?: string
      path?: string
    },
  ): Promise<LightMyRequestResponse> =>
    service.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': MULTIPART, 'x-forwarded-for': from, accept: 'text/html' },
      payload: multipart(fields, files),
    })
  /** Opens a form, waits and sends it, as a person without scripts does. */
  const suggest = async (fields: Record<string, string> = {}, options: Parameters<typeof post>[1] = {}) => {
    const form = await open(options?.path)
    now += 11
    return post({ ...EVENT, form, ...fields }, options)
  }
  const pending = async (title: string): Promise<Json> => {
    const { events } = await service.expect(200, 'editor', '/events', {
      query: { status: 'pending', search: title, start_date: '2000-01-01' },
    })
    assert.equal(events.length, 1, `one pending event "${title}"`)
    return events[0]
  }
  const countAll = async () =>
    (
      await service.expect(200, 'editor', '/events', {
        query: { status: 'pending,publish,draft,trash', start_date: '2000-01-01', per_page: 1 },
      })
    ).total

  it('is not there unless it is switched on', async () => {
    const off = await startService()
    try {
      for (const method of ['GET', 'POST'] as const)
        assert.equal((await off.inject({ method, url: '/suggest' })).statusCode, 404)
      assert.doesNotMatch((await off.inject({ url: '/' })).body, /\/suggest"/)
      assert.match((await service.inject({ url: '/' })).body, /href="\/suggest"/)
    } finally {
      await off.close()
    }
  })

  it('opens and closes with the setting, at once', async () => {
    const site = await startService()
    try {
      const administrator = await signIn(site, 'administrator')
      for (const [fields, status] of [
        [{ suggest: '1' }, 200],
        [{}, 404],
      ] as const) {
        assert.equal((await administrator.post('/manage/settings', { ...fields, do: 'save' })).statusCode, 303)
        assert.equal((await site.inject({ url: '/suggest' })).statusCode, status)
        assert.equal(/href="\/suggest"/.test((await site.inject({ url: '/' })).body), status === 200)
      }
    } finally {
      await site.close()
    }
  })

  it('is never cached, and each has a token of its own', async () => {
    const one = await service.inject({ url: '/suggest' })
    assert.equal(one.headers['cache-control'], 'private, no-store')
    assert.notEqual(tokenIn(one.body), await open())
  })

  it('makes a pending event of a title and a start, and of nothing else', async () => {
    const sent = await suggest({ title: 'Only the least' })
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, '/suggest?sent=1'])
    const event = await pending('Only the least')
    assert.deepEqual(
      [event.status, event.start_date, event.end_date],
      ['pending', '2031-06-10 19:00:00', '2031-06-10 19:00:00'],
    )
    assert.equal((await service.call(null, `/events/${event.id}`)).statusCode, 403)
    assert.match((await service.inject({ url: '/suggest?sent=1' })).body, /role="status"/)
    assert.equal((await service.inject({ url: `/event/${event.slug}/` })).statusCode, 404)
  })

  it('takes what a stranger can know, and shows it to reviewers with the name and address of the sender', async () => {
    const category = await service.expect(201, 'editor', '/categories', { json: { name: 'Music' } })
    await suggest({
      title: 'All fields',
      end_date: '2031-06-10T21:00',
      venue: 'Bandstand',
      address: 'Park Lane 1',
      city: 'Springfield',
      description: 'First.\r\n\r\n<b>Second</b> & <script>alert(1)</script>third',
      website: 'example.org/jazz',
      cost: '10',
      categories: String(category.id),
      sender_name: 'Ada <b>L</b>',
      sender_email: 'ada@example.org',
    })
    const event = await pending('All fields')
    assert.equal(event.end_date, '2031-06-10 21:00:00')
    assert.deepEqual(
      [event.venue.venue, event.venue.address, event.venue.city, event.venue.status],
      ['Bandstand', 'Park Lane 1', 'Springfield', 'draft'],
    )
    assert.equal(event.website, 'https://example.org/jazz')
    assert.equal(event.categories[0].name, 'Music')
    assert.match(event.description, /^<p>First\.<\/p>\s*<p>Second &(amp;|#038;) third<\/p>$/)
    assert.equal((await service.call(null, `/venues/${event.venue.id}`)).statusCode, 403)
    const { body } = await editor.get(`/manage/events/${event.id}`)
    assert.match(body, /href="mailto:ada@example\.org"/)
    assert.match(body, /Ada L/)
    assert.match((await editor.get('/manage')).body, /All fields[\s\S]*ada@example\.org/)
    const contributor = await signIn(service, 'contributor')
    assert.doesNotMatch((await contributor.get('/manage')).body, /ada@example\.org/)
  })

  it('ignores all other fields', async () => {
    await suggest({
      title: 'Wants more',
      status: 'publish',
      author: String(service.ids.administrator),
      slug: 'chosen',
      featured: '1',
      sticky: '1',
      password: 'secret',
      tags: 'spam',
      organizer: 'Somebody',
      date: '2020-01-01',
      image: 'http://127.0.0.1/x.png',
      'tickets[0][name]': 'x',
    })
    const event = await pending('Wants more')
    assert.deepEqual(
      [event.status, event.featured, event.sticky, event.slug, event.tags, event.organizer, event.image],
      ['pending', false, false, 'wants-more', [], [], false],
    )
    assert.notEqual(event.author, String(service.ids.administrator))
  })

  it('refuses with all problems beside their fields, and loses nothing that was typed', async () => {
    const before = await countAll()
    const refused = await suggest({
      title: '',
      start_date: 'soon-ish',
      description: 'Long & <careful> text',
      website: 'ftp://example.org',
      sender_email: 'not an address',
      categories: 'Not a category',
    })
    assert.equal(refused.statusCode, 400)
    for (const name of ['title', 'start_date', 'website', 'sender_email', 'categories'])
      assert.match(refused.body, new RegExp(`name="${name}"[^>]*aria-invalid="true"`), name)
    assert.doesNotMatch(refused.body, /name="end_date"[^>]*aria-invalid/)
    assert.match(refused.body, /Long &amp; &lt;careful&gt; text/)
    assert.match(refused.body, /value="not an address"/)
    assert.equal(await countAll(), before)
    // The token is still good: nobody waits again.
    const again = await post({ ...EVENT, title: 'Second try', form: tokenIn(refused.body) })
    assert.equal(again.statusCode, 303)
  })

  it('takes a form after ten seconds, or after three with a proof of work', async () => {
    const [one, two] = [await open(), await open()]
    now += 5
    const early = await post({ ...EVENT, title: 'Too early', form: one })
    assert.equal(early.statusCode, 400)
    assert.match(early.body, /role="alert"/)
    assert.equal((await post({ ...EVENT, title: 'Wrong proof', form: one, proof: '1,2,3,4' })).statusCode, 400)
    assert.equal((await post({ ...EVENT, title: 'With a proof', form: two, proof: prove(two) })).statusCode, 303)
    assert.equal((await post({ ...EVENT, title: 'Foreign proof', form: one, proof: prove(two) })).statusCode, 400)
    now += 6
    assert.equal((await post({ ...EVENT, title: 'Late enough', form: tokenIn(early.body) })).statusCode, 303)
    const three = await open()
    now += 1
    assert.equal((await post({ ...EVENT, title: 'At once', form: three, proof: prove(three) })).statusCode, 400)
  })

  it('takes each form once, none that it did not make, and none that is a day old', async () => {
    const form = await open()
    now += 11
    assert.equal((await post({ ...EVENT, title: 'Once', form })).statusCode, 303)
    const twice = await post({ ...EVENT, title: 'Twice', form })
    assert.equal(twice.statusCode, 400)
    assert.match(twice.body, /value="Twice"/)
    assert.notEqual(tokenIn(twice.body), form)
    const old = await open()
    now += 86_500
    const [made = '', nonce = '', signature = ''] = form.split('.')
    for (const wrong of [
      '',
      'x',
      old,
      `${made}.${nonce.slice(1)}A.${signature}`,
      `zz${made.slice(2)}.${nonce}.${signature}`,
    ])
      assert.equal((await post({ ...EVENT, title: 'Forged', form: wrong })).statusCode, 400, wrong)
    assert.equal((await service.expect(200, 'editor', '/events?search=Forged&status=pending')).total, 0)
    // At once as well: only one of them is taken.
    const same = await open()
    now += 11
    const answers = await Promise.all([1, 2, 3].map(() => post({ ...EVENT, title: 'Race', form: same })))
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 400, 400])
  })

  it('answers a machine as if it had worked, and saves nothing', async () => {
    const before = await countAll()
    const sent = await post({ ...EVENT, title: 'Buy now', company: 'ACME' })
    assert.deepEqual([sent.statusCode, sent.headers.location], [303, '/suggest?sent=1'])
    assert.equal(await countAll(), before)
  })

  it('takes five an hour from an address', async () => {
    const from = '203.0.113.7'
    for (let n = 0; n < 5; n++) assert.equal((await suggest({ title: `Many ${n}` }, { from })).statusCode, 303)
    const sixth = await suggest({ title: 'Many 5' }, { from })
    assert.equal(sixth.statusCode, 429)
    assert.ok(Number(sixth.headers['retry-after']) > 3000 && Number(sixth.headers['retry-after']) <= 3600)
    assert.match(sixth.body, /value="Many 5"/)
    assert.equal((await suggest({ title: 'Another sender' })).statusCode, 303)
    now += 3600
    assert.equal((await suggest({ title: 'An hour later' }, { from })).statusCode, 303)
  })

  const picture = async (colour = '#a03020'): Promise<SentFile> => ({
    name: 'poster.png',
    type: 'image/png',
    bytes: await sharp({ create: { width: 400, height: 300, channels: 3, background: colour } })
      .png()
      .toBuffer(),
  })
  const images = async () => (await service.expect(200, 'editor', '/images')).total

  it('keeps picture and venue from the public until the event is approved', async () => {
    const before = await images()
    const sent = await suggest(
      { title: 'With a picture', venue: 'Hidden Hall' },
      { files: { image_file: await picture() } },
    )
    assert.equal(sent.statusCode, 303, sent.body)
    assert.equal(await images(), before)
    const event = await pending('With a picture')
    assert.equal(event.image, false)
    const shown = await editor.get(`/manage/events/${event.id}/picture`)
    assert.deepEqual([shown.statusCode, shown.headers['content-type']], [200, 'image/png'])
    assert.equal((await sharp(shown.rawPayload).metadata()).width, 400)
    for (const role of ['contributor', 'author'] as const)
      assert.equal((await (await signIn(service, role)).get(`/manage/events/${event.id}/picture`)).statusCode, 403)
    assert.equal((await service.inject({ url: `/manage/events/${event.id}/picture` })).statusCode, 303)
    assert.doesNotMatch((await service.inject({ url: '/venues' })).body, /Hidden Hall/)
    assert.equal((await editor.post(`/manage/events/${event.id}`, { do: 'approve' })).statusCode, 303)
    const published = await service.expect(200, null, `/events/${event.id}`)
    assert.equal(published.status, 'publish')
    assert.equal(published.venue.venue, 'Hidden Hall')
    assert.equal((await service.inject({ url: new URL(published.image.url).pathname })).statusCode, 200)
    assert.equal(await images(), before + 1)
  })

  it('refuses a file that is no picture, with the other problems', async () => {
    const file = { name: 'poster.png', type: 'image/png', bytes: Buffer.from('<svg onload=alert(1)>') }
    const refused = await suggest({ title: '' }, { files: { image_file: file } })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="image_file"[^>]*aria-invalid="true"/)
    assert.match(refused.body, /name="title"[^>]*aria-invalid="true"/)
  })

  it('moves a rejected event to the trash', async () => {
    await suggest({ title: 'Not for us' })
    const event = await pending('Not for us')
    const author = await signIn(service, 'author')
    assert.equal((await author.post(`/manage/events/${event.id}`, { do: 'approve' })).statusCode, 403)
    assert.equal((await editor.post(`/manage/events/${event.id}`, { do: 'reject', reason: 'Too far' })).statusCode, 303)
    assert.equal((await service.expect(200, 'editor', `/events/${event.id}`)).status, 'trash')
  })

  it('gives nobody the account that its events belong to', async () => {
    for (const password of ['', '!'])
      for (const user of ['Suggestions', 'suggestions@localhost.localdomain']) {
        const tried = await service.inject({
          method: 'POST',
          url: '/sign-in',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ user, password }).toString(),
        })
        assert.equal(tried.statusCode, 400)
      }
  })

  it('speaks the language of its address', async () => {
    assert.match((await service.inject({ url: '/de/suggest' })).body, /<h1>Veranstaltung vorschlagen<\/h1>/)
    const early = await post({ ...EVENT, form: await open() }, { path: '/fr/suggest' })
    assert.match(early.body, /secondes/)
  })
})

/** A proof of work for a token, as the script makes it. */
function prove(token: string): string {
  const nonce = token.split('.')[1] ?? ''
  const part = (at: number) => {
    for (let n = 0; ; n++) if (hash('sha256', `${nonce} ${at} ${n}`, 'buffer').readUInt32BE(0) >>> 17 === 0) return n
  }
  return [0, 1, 2, 3].map(part).join(',')
}
