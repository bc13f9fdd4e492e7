import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { LightMyRequestResponse } from 'fastify'
import sharp from 'sharp'
import { createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { type Call, type Json, request, type Service } from './service.ts'

const EVENT = { title: 'An event', start_date: '2031-06-10', end_date: '2031-06-11' }
/** Of every eight tries, the first removal begins so many milliseconds after the uploads. */
const DELAYS = [0, 1, 2, 4, 8, 12, 18, 26]

type Send = (path: string, call?: Call) => Promise<LightMyRequestResponse>

/**
 * Uploads the same image again and again, by itself and with venues and events, on a service and on a second node that
 * shares its database and its files, while it is removed. After every try, all files of all images must be there, and
 * records must show images that are. At the end all images are removed.
 */
export async function raceImages(service: Service, tries: number): Promise<void> {
  const db = openDatabase(service.where)
  const other = await createApp(service.config, db, { logger: false })
  const nodes: Send[] = [
    (path, call) => service.call('editor', path, call),
    (path, call) => other.server.inject(request('editor', path, call)),
  ]
  try {
    const picture = await sharp({ create: { width: 160, height: 160, channels: 3, background: '#2f6b46' } })
      .png()
      .toBuffer()
    const form = await formWith(picture)
    for (let n = 0; n < tries; n++) {
      await race(nodes, picture, form, n)
      await checkAll(service, nodes[n % 2] as Send)
    }
    for (const { id } of await listed(nodes[0] as Send)) await removeFrom(nodes[0] as Send, id)
  } finally {
    await other.close()
  }
}

async function race(nodes: readonly Send[], raw: Buffer, form: Call, n: number): Promise<void> {
  const [one, two] = (n % 2 === 0 ? nodes : nodes.toReversed()) as [Send, Send]
  const upload = (send: Send) => send('/images', { raw, headers: { 'content-type': 'image/png' } })
  const first = await upload(one)
  assert.equal(first.statusCode, 201, first.body)
  const { id } = first.json()
  const after = DELAYS[n % DELAYS.length] ?? 0
  const answers = await Promise.all([
    upload(one),
    upload(two),
    (n & 1 ? one : two)('/venues', form),
    one('/events', { json: { ...EVENT, image: id } }),
    setTimeout(after).then(() => removeFrom(two, id)),
    setTimeout(after + (n % 5)).then(() => removeFrom(n & 2 ? one : two, id)),
  ])
  // An event that names an image that is gone is refused, and so is one who removes it a second time.
  for (const { statusCode, body } of answers) assert.ok([200, 201, 400, 404].includes(statusCode), body)
  assert.ok(answers.slice(0, 3).every(({ statusCode }) => [200, 201].includes(statusCode)))
}

async function checkAll(service: Service, send: Send): Promise<void> {
  const images = await listed(send)
  for (const image of images) {
    for (const { url, filesize } of [image, ...Object.values<Json>(image.sizes)]) {
      const { statusCode, rawPayload } = await service.inject({ url: new URL(url).pathname })
      assert.deepEqual([statusCode, rawPayload.length], [200, filesize], `a file of image ${image.id} is broken`)
    }
  }
  const ids = images.map(({ id }) => id)
  const shown = await service.db.read(async (tx) => [
    ...(await tx.selectFrom('events').select('image').where('image', 'is not', null).execute()),
    ...(await tx.selectFrom('venues').select('image').where('image', 'is not', null).execute()),
  ])
  for (const { image } of shown) assert.ok(ids.includes(image), `a record shows image ${image}, which is gone`)
}

async function listed(send: Send): Promise<Json[]> {
  return (await send('/images', { query: { per_page: 50 } })).json().images
}

function removeFrom(send: Send, id: number): Promise<LightMyRequestResponse> {
  return send(`/images/${id}`, { method: 'DELETE', query: { force: true } })
}

/** A form with a venue and its image. */
async function formWith(picture: Buffer): Promise<Call> {
  const form = new FormData()
  form.set('venue', 'A venue')
  form.set('image', new File([new Uint8Array(picture)], 'x.png', { type: 'image/png' }))
  const { headers, body } = new Request('http://x', { method: 'POST', body: form })
  return { raw: Buffer.from(await new Response(body).arrayBuffer()), headers: Object.fromEntries(headers) }
}
