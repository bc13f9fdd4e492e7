import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import sharp from 'sharp'
import { type Json, type Service, startService } from '../support/service.ts'
import { type MailServer, startMailServer } from '../support/smtp.ts'
import { MULTIPART, multipart, type SentFile, type Staff, signIn } from '../support/staff.ts'

describe('mail about suggestions', () => {
  let service: Service
  let editor: Staff
  let mail: MailServer
  let now = Math.floor(Date.parse('2031-01-10T12:00:00Z') / 1000)
  let strangers = 0
  before(async () => {
    mail = await startMailServer()
    service = await startService({
      settings: {
        suggest: 'yes',
        trustProxy: '127.0.0.1',
        smtpUrl: mail.url,
        mailFrom: 'Town Calendar <calendar@example.org>',
        siteName: 'Town Calendar',
      },
      clock: () => now,
    })
    service.startJobs()
    editor = await signIn(service, 'editor')
  })
  beforeEach(() => mail.clear())
  after(async () => {
    await service.close()
    await mail.close()
  })

  const suggest = async (fields: Record<string, string>, path = '/suggest', files: Record<string, SentFile> = {}) => {
    const form = /name="form" value="([^"]+)"/.exec((await service.inject({ url: path })).body)?.[1] ?? ''
    now += 11
    return service.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': MULTIPART, 'x-forwarded-for': `198.51.100.${++strangers}` },
      payload: multipart({ start_date: '2031-06-10T19:00', form, ...fields }, files),
    })
  }
  const idOf = async (title: string): Promise<number> => {
    const query = { status: 'pending', search: title }
    const { events } = await service.expect(200, 'editor', '/events', { query })
    return events[0].id
  }

  it('tells all editors and administrators of a new one', async () => {
    await suggest({ title: 'Jazz – für alle', sender_name: 'Ada', sender_email: 'ada@example.org' })
    const letters = await mail.letters(2)
    assert.deepEqual(
      letters.map(({ to }) => to),
      [['administrator@example.org'], ['editor@example.org']],
    )
    const [, letter] = letters
    assert.ok(letter)
    const { headers, body, from } = letter
    assert.equal(from, 'calendar@example.org')
    assert.deepEqual(headers.subject, ['Suggested: Jazz – für alle'])
    assert.deepEqual(headers['reply-to'], ['ada@example.org'])
    assert.match(body, /Jazz – für alle[\s\S]*2031-06-10 19:00[\s\S]*Ada, ada@example\.org/)
    assert.match(body, new RegExp(`http://calendar\\.example\\.org:8080/manage/events/${await idOf('Jazz')}`))
  })

  it('tells the sender of the outcome, in the language of the form', async () => {
    await suggest({ title: 'Angenommen', sender_name: 'Ada', sender_email: 'ada@example.org' }, '/de/suggest')
    await suggest({ title: 'Refusé', sender_email: 'bob@example.org' }, '/fr/suggest')
    await mail.letters(4)
    mail.clear()
    await editor.post(`/manage/events/${await idOf('Angenommen')}`, { do: 'approve' })
    const [approved] = await mail.letters(1)
    assert.deepEqual([approved?.to, approved?.headers.subject], [['ada@example.org'], ['Veröffentlicht: Angenommen']])
    assert.match(approved?.body ?? '', /^Guten Tag Ada,[\s\S]*\/de\/event\/angenommen\//)
    mail.clear()
    await editor.post(`/manage/events/${await idOf('Refusé')}`, { do: 'reject', reason: 'Trop loin.\n.\nDATA' })
    const [rejected] = await mail.letters(1)
    assert.deepEqual([rejected?.to, rejected?.headers.subject], [['bob@example.org'], ['Non publié : Refusé']])
    assert.match(rejected?.body ?? '', /^Bonjour,[\s\S]*Trop loin\.\n\.\nDATA/)
  })

  it('does the same when an event is published in another way', async () => {
    const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#1050a0' } })
      .png()
      .toBuffer()
    const files = { image_file: { name: 'a.png', type: 'image/png', bytes } }
    await suggest({ title: 'In bulk', sender_email: 'cy@example.org' }, '/suggest', files)
    await mail.letters(2)
    mail.clear()
    const id = await idOf('In bulk')
    await editor.post('/manage/events', { ids: [String(id)], do: 'publish' })
    assert.deepEqual((await mail.letters(1))[0]?.to, ['cy@example.org'])
    const event: Json = await service.expect(200, null, `/events/${id}`)
    assert.equal(event.image.width, 40)
  })

  it('cannot be led to other recipients or headers', async () => {
    for (const sender_email of [
      'a@example.org, b@example.org',
      'a@example.org\r\nBcc: b@example.org',
      'a@example.org\nBcc: b@example.org',
      '<a@example.org>',
      'Group: a@example.org;',
      '"a@evil.example" <b@example.org>',
      'a@example.org>\r\nRCPT TO:<b@example.org',
    ])
      assert.equal((await suggest({ title: 'Hostile', sender_email })).statusCode, 400, sender_email)
    await suggest({
      title: 'Line\r\nBcc: evil@example.org',
      sender_name: 'Eve\r\nBcc: evil@example.org\r\n\r\n.\r\nMAIL FROM:<x@example.org>',
      sender_email: 'eve@example.org',
    })
    for (const { to, headers } of await mail.letters(2)) {
      assert.equal(to.length, 1)
      assert.equal(headers.bcc, undefined)
      assert.equal(headers.subject?.length, 1)
      assert.equal(headers.from?.length, 1)
    }
    assert.equal(mail.taken.length, 2)
  })

  it('brings an invited user the link, in a letter to nobody else', async () => {
    const administrator = await signIn(service, 'administrator')
    const user = { name: 'Grace', email: 'grace@example.org', role: 'author', do: 'invite' }
    const shown = await administrator.post('/manage/users/new', user)
    const link = /http:[^"]*\/invite\/[\w-]+/.exec(shown.body)?.[0] ?? ''
    const [letter] = await mail.letters(1)
    assert.deepEqual([letter?.to, mail.taken.length], [['grace@example.org'], 1])
    assert.ok(link !== '' && letter?.body.includes(link))
  })

  it('that failed for good is on the overview', async () => {
    assert.doesNotMatch((await editor.get('/manage')).body, /could not be sent/)
    await service.db.write(async (tx) => {
      const payload = JSON.stringify({ to: 'gone@example.org', subject: 'x', text: 'x' })
      const times = { set_utc: 0, created_utc: 0, due_utc: null, ended_utc: now }
      const job = {
        kind: 'send-mail',
        key: 'failed',
        payload,
        attempts: 9,
        requests: 1,
        error: 'Error: 550 <b>',
        ...times,
      }
      await tx.insertInto('jobs').values(job).execute()
    })
    assert.match(
      (await editor.get('/manage')).body,
      /1 notification could not be sent[\s\S]*gone@example\.org: Error: 550 &lt;b&gt;/,
    )
  })
})
