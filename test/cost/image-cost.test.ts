import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { framesGif, scansJpeg } from '../support/costly-pictures.ts'
import { longestHold } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

/** No request may hold the event loop for longer, in milliseconds. */
const LONGEST = 50

describe('pictures that are much work', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const upload = (raw: Buffer) =>
    service.call('author', '/images', { method: 'POST', raw, headers: { 'content-type': 'image/png' } })
  const plain = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#3366aa' } })

  /** What is said of a picture that must be refused; seconds of processor time, of all threads, that it may cost. */
  const refusal = async (raw: Buffer, most: number): Promise<string> => {
    const before = process.cpuUsage()
    const response = await upload(raw)
    const { user, system } = process.cpuUsage(before)
    assert.equal(response.statusCode, 400, response.body)
    assert.ok((user + system) / 1e6 < most, `it took ${(user + system) / 1e6} s`)
    return response.json().data.params.file
  }

  it('are refused for their frames before those are unpacked', async () => {
    assert.match(await refusal(framesGif(600_000), 5), /1,000 frames/)
    assert.match(await refusal(framesGif(1001), 2), /1,000 frames/)
    // Fewer, of more pixels together.
    assert.match(await refusal(framesGif(500, 316, 316), 2), /20 million pixels/)
    assert.equal((await upload(framesGif(999, 20, 20))).statusCode, 201)
  })

  it('are refused for their pixels, whatever their format', async () => {
    const large = /50 million/
    const gif = framesGif(1, 8000, 8000)
    // Of the only frame too, which is 13 + 6 bytes from the start.
    gif.writeUInt16LE(8000, 24)
    gif.writeUInt16LE(8000, 26)
    assert.match(await refusal(gif, 2), large)
    const png = await plain(8).png().toBuffer()
    png.writeUInt32BE(50_000, 16)
    png.writeUInt32BE(50_000, 20)
    // Both are not quite whole now, which a decoder may find first.
    assert.match(await refusal(png, 2), /50 million|JPEG, PNG/)
    const webp = await plain(16).webp({ lossless: true }).toBuffer()
    // Width and height are 14 bits each, less one.
    webp.writeUInt32LE(((webp.readUInt32LE(21) & 0xf0000000) | 0x0fffffff) >>> 0, 21)
    assert.match(await refusal(webp, 2), /50 million|JPEG, PNG/)
  })

  it('are refused for their scans, each of which is as much work as the whole', async () => {
    assert.match(await refusal(scansJpeg(6992, 800), 2), /takes too long/)
    assert.equal((await upload(scansJpeg(160, 40))).statusCode, 201)
  })

  it('keep nobody waiting while they are looked at', async () => {
    const start = await plain(8).png().toBuffer()
    await upload(start)
    const raw = Buffer.concat([start, Buffer.alloc(10_000_000, '<')])
    const hold = await longestHold(() => upload(raw))
    assert.ok(hold < LONGEST, `held the event loop for ${hold} ms`)
  })

  it('wait for each other, and the rest is asked to come again', async () => {
    const pictures = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        plain(900 + n)
          .webp()
          .toBuffer(),
      ),
    )
    const answers = await Promise.all(pictures.map(upload))
    const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    assert.equal(count(201) + count(503), 30)
    // Two are read, and twenty wait.
    assert.ok(count(201) >= 22 && count(503) >= 1, `${count(201)} kept, ${count(503)} refused`)
    for (const { statusCode, headers } of answers) if (statusCode === 503) assert.ok(Number(headers['retry-after']) > 0)
    assert.equal((await upload(pictures[29] as Buffer)).statusCode, 201)
  })
})
