import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { createApp, exportEvents, readSite } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { ROLES } from '../../src/domain/access.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const SETTINGS = '/manage/settings'
const HOSTILE = '"><img src=x onerror=alert(1)>'
const EVENT = {
  title: 'Harbour Concert',
  start_date: '2031-06-10 19:00',
  end_date: '2031-06-10 21:00',
  cost: '10',
  status: 'publish',
}
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>'

/** Values of the form as it is shown. */
function shown(body: string): Record<string, string> {
  const inputs = [...body.matchAll(/<input id="field-(\w+)" type="(?!file|checkbox)\w+"[^>]* value="([^"]*)"/g)]
  const selects = [...body.matchAll(/<select id="field-(\w+)".*?<option value="(\w*)" selected>/gs)]
  return Object.fromEntries([...inputs, ...selects].map(([, name = '', value = '']) => [name, value]))
}

describe('the screen of settings', () => {
  let service: Service
  let admin: Staff
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-settings-'))
    service = await startService({ settings: { timezone: '' }, folder })
    admin = await signIn(service, 'administrator')
    await service.expect(201, 'editor', '/events', { json: EVENT })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  const page = async (url: string, language = 'en') =>
    (await service.inject({ url, headers: { accept: 'text/html', 'accept-language': language } })).body
  const save = async (fields: Record<string, string>) => {
    const answer = await admin.post(SETTINGS, { do: 'save', ...fields })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `${SETTINGS}?done=saved`], answer.body)
  }

  it('is for administrators alone', async () => {
    for (const role of ROLES.filter((one) => one !== 'administrator')) {
      const staff = await signIn(service, role)
      for (const path of [SETTINGS, '/manage/setup']) {
        assert.equal((await staff.get(path)).statusCode, 403, role)
        assert.equal((await staff.post(path, { do: 'save', site_name: 'Mine' })).statusCode, 403, role)
      }
    }
    assert.doesNotMatch(await page('/'), /Mine/)
  })

  it('changes the name at once on every page, cached or not, and in feeds', async () => {
    for (const path of ['/', '/events/', '/event/harbour-concert/', '/nowhere']) {
      for (let round = 0; round < 3; round++) assert.match(await page(path), /Kalends/, path)
    }
    await save({ site_name: 'Town & Tide' })
    for (const path of ['/', '/events/', '/event/harbour-concert/', '/nowhere'])
      assert.match(await page(path), /Town &amp; Tide/, path)
    assert.match((await service.inject({ url: '/events.ics' })).body, /Town & Tide/)
    await save({ site_name: '' })
    assert.match(await page('/'), /Kalends/)
  })

  it('shows a hostile name as text', async () => {
    await save({ site_name: `Calendar ${HOSTILE}` })
    for (const path of ['/', '/manage', SETTINGS]) assert.doesNotMatch((await admin.get(path)).body, /<img src=x/, path)
    await save({ site_name: '' })
  })

  it('changes currency and time zone of events that are cached', async () => {
    const read = () => service.expect(200, null, '/events/by-slug/harbour-concert')
    for (let round = 0; round < 3; round++) assert.equal((await read()).cost, '$10')
    const before = (await read()).date
    await save({ currency: '€', timezone: 'Asia/Tokyo' })
    const { cost, date, timezone } = await read()
    assert.deepEqual([cost, timezone], ['€10', 'UTC'])
    assert.notEqual(date, before)
    const { events } = await service.expect(200, null, '/events?start_date=2031-01-01')
    assert.equal(events[0].cost, '€10')
    const made = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: 'Other' } })
    assert.equal(made.timezone, 'Asia/Tokyo')
    assert.doesNotMatch(JSON.stringify(await service.expect(200, null, '/doc')), /"\$10/)
  })

  it('changes the colour and the logo with the addresses of their files', async () => {
    const themeOf = async () => /\/assets\/theme\.[\da-f]+\.css/.exec(await page('/'))?.[0] ?? ''
    const before = await themeOf()
    await save({ accent: '#aa2200', logo: 'https://images.example.org/logo.png' })
    const theme = await themeOf()
    assert.notEqual(theme, before)
    const css = await service.inject({ url: theme })
    assert.match(css.body, /#aa2200/)
    assert.match(String(css.headers['cache-control']), /immutable/)
    const start = await service.inject({ url: '/', headers: { accept: 'text/html' } })
    assert.match(start.body, /src="https:\/\/images\.example\.org\/logo\.png"/)
    assert.match(String(start.headers['content-security-policy']), /img-src 'self' https:\/\/images\.example\.org/)
  })

  it('takes a logo as a file, shows it safely, keeps it and removes it', async () => {
    const png = await sharp({ create: { width: 900, height: 900, channels: 3, background: '#336699' } })
      .png()
      .toBuffer()
    const address = async () => /class="logo" src="([^"]+)"/.exec(await page('/'))?.[1] ?? ''
    for (const [name, bytes, type] of [
      ['logo.svg', Buffer.from(SVG), 'image/svg+xml'],
      ['logo.png', png, 'image/png'],
    ] as const) {
      const sent = await admin.upload(SETTINGS, { do: 'save', logo: '' }, { logo_file: { name, bytes, type } })
      assert.equal(sent.statusCode, 303, sent.body)
      const found = await service.inject({ url: await address() })
      assert.deepEqual([found.statusCode, found.headers['content-type']], [200, type])
      assert.match(String(found.headers['content-security-policy']), /default-src 'none'.*sandbox/)
    }
    const [first] = [await address()]
    await save(shown((await admin.get(SETTINGS)).body))
    assert.equal(await address(), first, 'a form that is sent back changes nothing')
    const bad = { name: 'logo.png', bytes: Buffer.from('<html>'), type: 'image/png' }
    const refused = await admin.upload(SETTINGS, { do: 'save', site_name: 'No' }, { logo_file: bad })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.body, /name="logo"[^>]*aria-invalid="true"/)
    assert.doesNotMatch(await page('/'), /<title>No</)
    await save({ logo: '' })
    assert.match(await address(), /icon/)
  })

  it('changes clock, week, maps, suggestions, the order of dates and the language for strangers', async () => {
    await save({
      clock: '12',
      week_start: 'sunday',
      tiles: 'https://tiles.example.org/{z}/{x}/{y}.png',
      suggest: 'on',
      date_order: 'mdy',
      language: 'de',
    })
    const site = await readSite(service.config, service.db)
    assert.deepEqual(
      [site.clock, site.weekStart, site.suggest, site.dateOrder, site.languages[0]],
      [12, 7, true, 'mdy', 'de'],
    )
    assert.match(await page('/', 'pt'), /<html lang="de"/)
    assert.match(await page('/', 'en'), /<html lang="en"/)
    const { body } = await admin.get(SETTINGS)
    assert.match(body, /name="suggest"[^>]* checked/)
    assert.deepEqual(
      ['clock', 'week_start', 'date_order', 'language'].map((name) => shown(body)[name]),
      ['12', 'sunday', 'mdy', 'de'],
    )
    await save({ clock: '', week_start: '', tiles: '', date_order: '', language: 'en' })
    assert.equal((await readSite(service.config, service.db)).suggest, false)
    assert.match(await page('/', 'pt'), /<html lang="en"/)
  })

  it('tells all that is wrong beside the fields, and changes nothing', async () => {
    const fields = {
      do: 'save',
      site_name: 'x'.repeat(101),
      accent: 'url(//evil.example)',
      timezone: 'Mars/Base',
      currency: 'dollars',
      clock: '13',
      week_start: 'someday',
      tiles: 'javascript:{z}{x}{y}',
      logo: 'javascript:alert(1)',
      date_order: 'ymd',
      language: 'xx',
    }
    const { statusCode, body } = await admin.post(SETTINGS, fields)
    assert.equal(statusCode, 400)
    assert.equal(body.match(/aria-invalid="true"/g)?.length, Object.keys(fields).length - 1)
    assert.match(body, /value="Mars\/Base"/)
    assert.doesNotMatch(await page('/'), /evil\.example/)
  })

  it('shows what a variable or flag decides, and does not change it', async () => {
    await save({ site_name: 'From the database', timezone: 'Asia/Tokyo' })
    const config = readConfig({ timezone: 'Europe/Paris', data: folder }, { KALENDS_SITE_NAME: 'From outside' })
    const db = openDatabase(service.where)
    const other = await createApp({ ...config, baseUrl: service.config.baseUrl }, db, { logger: false })
    const get = (url: string) => other.server.inject({ url, headers: { cookie: admin.cookie, accept: 'text/html' } })
    const { body } = await get(SETTINGS)
    assert.match(body, /name="site_name" value="From outside"[^>]* disabled/)
    assert.match(body, /KALENDS_SITE_NAME/)
    assert.match(body, /name="timezone" value="Europe\/Paris"[^>]* disabled/)
    assert.match(body, /--timezone/)
    assert.doesNotMatch(body, /name="currency"[^>]* disabled/)
    await other.server.inject({
      method: 'POST',
      url: SETTINGS,
      headers: { cookie: admin.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ csrf: admin.csrf, do: 'save', site_name: 'Neither', currency: '£' }).toString(),
    })
    assert.match((await get('/')).body, /From outside/)
    assert.match(await page('/'), /From the database/)
    assert.equal((await readSite(service.config, db)).currency, '£')
    await other.close()
  })

  it('counts at once on another node, with its files', async () => {
    const db = openDatabase(service.where)
    const other = await createApp(service.config, db, { logger: false })
    const get = async (url: string) => other.server.inject({ url, headers: { accept: 'text/html' } })
    for (const [name, accent] of [
      ['First', '#123456'],
      ['Second', '#654321'],
    ] as const) {
      await save({ site_name: name, accent })
      const theme = /\/assets\/theme\.[\da-f]+\.css/.exec(await page('/'))?.[0] ?? ''
      assert.match(String((await get(theme)).headers['cache-control']), /immutable/, 'before any page')
      for (let round = 0; round < 2; round++) assert.match((await get('/')).body, new RegExp(`<title>${name}`))
      assert.match((await get('/nowhere')).body, new RegExp(name))
    }
    await other.close()
  })

  it('counts on the command line', async () => {
    await save({ site_name: 'Exported', timezone: 'Asia/Tokyo' })
    const { text } = await exportEvents(service.config, service.db, { format: 'ics', query: {}, all: false })
    let written = ''
    for await (const piece of text) written += piece
    assert.match(written, /Exported/)
  })

  it('needs the token of the session', async () => {
    const headers = { cookie: admin.cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const payload = 'do=save&site_name=Forged&csrf=wrong'
    const answer = await service.inject({ method: 'POST', url: SETTINGS, headers, payload })
    assert.equal(answer.statusCode, 403)
    assert.doesNotMatch(await page('/'), /Forged/)
  })
})

describe('the set-up', () => {
  it('is offered until it was done, and leads to the first event', async () => {
    const service = await startService({ settings: { timezone: '' } })
    const admin = await signIn(service, 'administrator')
    assert.match((await admin.get('/manage')).body, /href="\/manage\/setup"/)
    assert.doesNotMatch((await (await signIn(service, 'editor')).get('/manage')).body, /\/manage\/setup/)
    const { body } = await admin.get('/manage/setup')
    for (const name of ['site_name', 'timezone', 'language', 'accent', 'logo', 'logo_file'])
      assert.match(body, new RegExp(`name="${name}"`))
    const bad = await admin.post('/manage/setup', { do: 'save', site_name: 'Town', timezone: 'Mars' })
    assert.equal(bad.statusCode, 400)
    const fields = {
      do: 'save',
      site_name: 'Town',
      timezone: 'Europe/Paris',
      language: 'fr',
      accent: '#224466',
      logo: '',
    }
    const { statusCode, headers } = await admin.post('/manage/setup', fields)
    assert.deepEqual([statusCode, headers.location], [303, '/manage/events/new?done=set_up'])
    assert.doesNotMatch((await admin.get('/manage')).body, /href="\/manage\/setup"/)
    const site = await readSite(service.config, service.db)
    assert.deepEqual([site.name, site.timezone, site.languages[0]], ['Town', 'Europe/Paris', 'fr'])
    await service.close()
  })

  it('is not offered once it was dismissed, or there are events', async () => {
    const service = await startService()
    const admin = await signIn(service, 'administrator')
    await service.expect(201, 'editor', '/events', { json: EVENT })
    assert.doesNotMatch((await admin.get('/manage')).body, /href="\/manage\/setup"/)
    await service.expect(200, 'editor', '/events/by-slug/harbour-concert', { method: 'DELETE', query: { force: true } })
    assert.match((await admin.get('/manage')).body, /href="\/manage\/setup"/)
    assert.equal((await admin.post('/manage/setup', { do: 'dismiss' })).statusCode, 303)
    assert.doesNotMatch((await admin.get('/manage')).body, /href="\/manage\/setup"/)
    assert.equal((await admin.get('/manage/setup')).statusCode, 200)
    await service.close()
  })

  it('proposes the time zone of the machine', async () => {
    const service = await startService({ settings: { timezone: '' } })
    const before = process.env.MACHINE_TZ
    process.env.MACHINE_TZ = 'Europe/Lisbon'
    const { body } = await (await signIn(service, 'administrator')).get('/manage/setup')
    assert.match(body, /name="timezone" value="Europe\/Lisbon"/)
    if (before === undefined) delete process.env.MACHINE_TZ
    else process.env.MACHINE_TZ = before
    await service.close()
  })
})
