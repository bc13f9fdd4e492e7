import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { runCommand } from '../support/commands.ts'
import { startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { some } from '../support/thorough.ts'

/** An entry of an archive, with fields of its header that a backup does not have. */
interface Entry {
  readonly name: string | Buffer
  readonly content: Buffer
  readonly type?: string
  readonly link?: string
  readonly prefix?: string
  /** As it is written, in place of the true one. */
  readonly size?: string | Buffer
}

const HEADER = 'kalends-backup.json'
const CONTENTS = 'contents.json'
const DATABASE = 'kalends.sqlite'

/** An archive as any program for tar writes it, with a seal that fits. */
function archive(entries: readonly Entry[]): Buffer {
  const body = Buffer.concat(entries.map(write))
  const seal = write({ name: 'SHA256', content: Buffer.from(createHash('sha256').update(body).digest('hex')) }, 0)
  return Buffer.concat([body, seal, Buffer.alloc(1024)])
}

function write(entry: Entry, time: unknown): Buffer {
  const {
    name,
    content,
    type = '0',
    link = '',
    prefix = '',
    size = content.length.toString(8).padStart(11, '0'),
  } = entry
  const header = Buffer.alloc(512)
  const put = (text: string | Buffer, at: number) => Buffer.from(text).copy(header, at)
  put(name, 0)
  put('0000600', 100)
  put('0000000', 108)
  put('0000000', 116)
  put(size, 124)
  put(time === 0 ? '00000000000' : '15000000000', 136)
  put(' '.repeat(8), 148)
  put(type, 156)
  put(link, 157)
  put('ustar\x0000', 257)
  put(prefix, 345)
  const sum = header.reduce((one, other) => one + other, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc(-content.length & 511)])
}

/** Reads an archive that `kalends backup` has written. */
function entriesOf(bytes: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; ; ) {
    const name = bytes.toString('latin1', at, at + 100).replace(/\0.*$/, '')
    if (name === 'SHA256') return entries
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8)
    entries.push({ name, content: bytes.subarray(at + 512, at + 512 + size) })
    at += 512 + Math.ceil(size / 512) * 512
  }
}

describe('a backup whose checksums are right', { skip: ON_POSTGRES && 'a folder is restored' }, () => {
  let folder: string
  let good: Entry[]
  let image: string
  let restored = 0
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-archives-'))
    const data = join(folder, 'source')
    const service = await startService({ folder: data, settings: { data } })
    const raw = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const headers = { 'content-type': 'image/png' }
    await service.expect(201, 'administrator', '/images', { method: 'POST', raw, headers })
    for (let n = 0; n < 30; n++)
      await service.expect(201, 'editor', '/venues', { json: { venue: `Hall ${n}`, description: 'x'.repeat(3000) } })
    await service.close()
    const made = await runCommand(['backup', join(folder, 'good.tar'), '--data', data])
    assert.equal(made.code, 0, made.err)
    good = entriesOf(readFileSync(join(folder, 'good.tar')))
    image = String(good.find(({ name }) => /^images/.test(String(name)))?.name)
    rmSync(data, { recursive: true })
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Restores to a folder two levels below one of its own; answers what was said, and all files that are there then. */
  async function restore(content: Buffer): Promise<{ code: number | null; err: string; files: string[] }> {
    const place = join(folder, `place-${restored++}`)
    mkdirSync(join(place, 'in'), { recursive: true })
    const file = join(folder, 'tried.tar')
    writeFileSync(file, content)
    const { code, err } = await runCommand(['restore', file, '--data', join(place, 'in', 'data')])
    return { code, err, files: readdirSync(place, { recursive: true }).map(String) }
  }

  async function refused(what: string, entries: readonly Entry[]): Promise<void> {
    const { code, err, files } = await restore(archive(entries))
    assert.deepEqual([code, files], [1, ['in']], `${what}: ${err}`)
    assert.match(err, /^kalends: [^\n]+\n$/, what)
    assert.ok(!existsSync('/tmp/kalends-evil'), what)
  }

  /** The good entries with others before the list of contents, which counts them. */
  const having = (...more: Entry[]) => {
    const files = [...good, ...more].filter(({ name }) => /(images|held)\//.test(String(name))).length
    return [...good.slice(0, -1), ...more, ...listing({ files }).slice(-1)]
  }
  const replaced = (name: string, change: Partial<Entry>) =>
    good.map((entry) => (entry.name === name ? { ...entry, ...change } : entry))
  const json = (name: string) => JSON.parse(String(good.find((entry) => entry.name === name)?.content))
  const listing = (change: object) =>
    replaced(CONTENTS, { content: Buffer.from(JSON.stringify({ ...json(CONTENTS), ...change })) })
  const content = Buffer.from('evil')

  it('is restored if all else is right, too', async () => {
    const { code, err, files } = await restore(archive(good))
    assert.deepEqual([code, err], [0, ''])
    assert.ok(files.includes(join('in', 'data', DATABASE)) && files.includes(join('in', 'data', image)), String(files))
  })

  it('is refused if an entry has a name that no backup has', async () => {
    const names = [
      ...[
        '../evil',
        '../images/ab/x.png',
        'x/held/evil',
        'a/../../evil',
        'images/../../evil',
        'images/ab/../../../evil',
        'held/../../evil',
      ],
      ...[
        '/tmp/kalends-evil',
        '//tmp/kalends-evil',
        './evil',
        'evil',
        '',
        '.',
        '..',
        '/',
        'C:\\evil',
        '\\\\host\\evil',
      ],
      ...['..\\evil', 'images\\..\\..\\evil', 'images/ab/..\\evil', 'images/ab/..', 'images/../ab.png', 'images/..'],
      ...[
        `${DATABASE}-wal`,
        `${DATABASE}-journal`,
        `./${DATABASE}`,
        'images',
        'images/',
        'images/ab',
        'images/abc/x.png',
      ],
      ...['images/ab/x.png/y', 'images/ab/x y.png', 'images/ab/x.p/../..', 'images/ab/.htaccess', 'IMAGES/ab/x.png'],
      ...['held/x/../../evil', '~/evil', 'images/ab/x.png\n', 'images/ab/é.png'],
      ...['images/ab/x.png\0', 'images/ab/x.png\0/../../../evil', 'evil\0images/ab/x.png'].map((name) =>
        Buffer.from(name),
      ),
    ]
    // A single NUL after a name ends it, as in every archive.
    const wrong = names.filter((name) => String(name) !== 'images/ab/x.png\0')
    for (const name of wrong) await refused(JSON.stringify(String(name)), having({ name, content }))
  })

  it('is refused if an entry is no file, or has its name elsewhere', async () => {
    for (const type of some([...'125xL\x00', ...'3467gKSDNVM '], 6)) {
      await refused(`type ${JSON.stringify(type)}`, having({ name: 'images/ab/x.png', content, type }))
      const link = { name: 'images/ab/x.png', content: Buffer.alloc(0), type, link: '../../../evil' }
      await refused(`type ${JSON.stringify(type)} of a link`, having(link, { name: link.name, content }))
    }
    const entry = { name: 'images/ab/x.png', content }
    await refused('a name before the name', having({ ...entry, prefix: '../..' }))
    await refused('an absolute name before the name', having({ ...entry, prefix: '/tmp' }))
    await refused('the name of a link', having({ ...entry, link: '/etc/passwd' }))
    const long = Buffer.from('../../evil\0')
    await refused('a long name of GNU', having({ name: '././@LongLink', content: long, type: 'L' }, entry))
    const path = Buffer.from('18 path=../../evil\n')
    for (const type of ['x', 'g']) await refused('a name of POSIX', having({ name: 'pax', content: path, type }, entry))
  })

  it('is refused if two entries have one name', async () => {
    for (const entry of good) await refused(`two of ${entry.name}`, having(entry))
    await refused('two lists', [...good, { name: CONTENTS, content: Buffer.from('{}') }])
    await refused('two headers', [...good.slice(0, 1), ...good])
    const seal = { name: 'SHA256', content: Buffer.from('0'.repeat(64)) }
    await refused('entries behind a seal', [...good, seal, { name: 'evil', content }])
    await refused('a seal before the end', having(seal))
  })

  it('is refused if an entry has no size that fits', async () => {
    const huge = Buffer.concat([Buffer.from([0x80, 0, 0, 0]), Buffer.from('7fffffffffffffff', 'hex')])
    const negative = Buffer.alloc(12, 0xff)
    const sizes = [
      '-0000001',
      '000000-1000',
      '-0001000',
      '-0002000',
      '',
      ' ',
      'x',
      '0x10',
      '7'.repeat(11),
      huge,
      negative,
      '00000000004.5',
    ]
    for (const size of some(sizes, 5)) {
      const entry = { name: 'images/ab/x.png', content, size }
      await refused(`size ${JSON.stringify(String(size))}`, having(entry))
      for (const name of [HEADER, CONTENTS])
        await refused(`size ${JSON.stringify(String(size))} of ${name}`, replaced(name, { size }))
    }
  })

  it('is refused if its lists are not those of its entries', async () => {
    for (const text of ['', 'x', 'null', '[]', '1', '{}', '{"database":1}', '{"database":"kalends.sqlite","unused":1}'])
      for (const name of [HEADER, CONTENTS])
        await refused(`${name}: ${text}`, replaced(name, { content: Buffer.from(text) }))
    for (const database of ['../kalends.sqlite', '/etc/passwd', image, CONTENTS, 'none', ''])
      await refused(`the database ${database}`, listing({ database }))
    await refused('fewer files than listed', listing({ files: json(CONTENTS).files + 1 }))
    await refused('unused without a list', listing({ unused: 'x' }))
    for (const { name } of good) {
      const others = good.filter((entry) => entry.name !== name)
      await refused(`without ${name}`, others)
    }
  })

  it('is refused if its database is damaged', async () => {
    const database = good.find(({ name }) => name === DATABASE)?.content ?? Buffer.alloc(0)
    const size = 4096
    const changed = (change: (copy: Buffer) => Buffer) => {
      const copy = Buffer.from(database)
      return replaced(DATABASE, { content: change(copy) })
    }
    await refused(
      'nothing',
      changed(() => Buffer.alloc(0)),
    )
    await refused(
      'no database',
      changed(() => Buffer.from('hello '.repeat(1000))),
    )
    await refused(
      'a page less',
      changed((copy) => copy.subarray(0, copy.length - size)),
    )
    await refused(
      'half of it',
      changed((copy) => copy.subarray(0, copy.length >> 1)),
    )
    await refused(
      'the schema',
      changed((copy) => copy.fill(0xff, 100, size)),
    )
    const pages = database.length / size
    for (const page of [1, 5, pages >> 2, pages >> 1, pages - 2])
      await refused(
        `page ${page}`,
        changed((copy) => copy.fill(0xa5, page * size, (page + 1) * size)),
      )
    await refused('a table and its index that differ', replaced(DATABASE, { content: withoutIndexEntries(database) }))
  })

  /** A database in which an index has not all rows: every page is sound by itself. */
  function withoutIndexEntries(database: Buffer): Buffer {
    const file = join(folder, 'index.sqlite')
    writeFileSync(file, database)
    const change = (...statements: string[]) => {
      const db = new DatabaseSync(file, { defensive: false })
      for (const statement of ['pragma journal_mode = delete', 'pragma writable_schema = on', ...statements])
        db.exec(statement)
      db.close()
    }
    const index = `where name = 'venues_slug_hidden'`
    change(
      `create index venues_slug_hidden on venues (slug)`,
      `create table hidden as select * from sqlite_schema ${index}`,
      `delete from sqlite_schema ${index}`,
    )
    change(`update venues set slug = 'another' where id = (select min(id) from venues)`)
    change('insert into sqlite_schema select * from hidden')
    change('drop table hidden')
    return readFileSync(file)
  }
})
