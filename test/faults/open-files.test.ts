import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { freePort } from '../support/free-port.ts'
import { startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { Visitor } from '../support/visitor.ts'
import { eventually } from '../support/workers.ts'

const skip = process.platform !== 'linux' && 'needs limits as Linux has them'
const REST = '/calendar/events/v1'
/** How many files the service may have open, and how many connections somebody opens. */
const FILES = 256
const CONNECTIONS = 600

for (const workers of ['1', '2']) {
  describe(`a service that may open few files, ${workers === '1' ? 'of one process' : 'with workers'}`, {
    skip,
  }, () => {
    it('does all it can do, however many connections are opened as soon as it listens', async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'kalends-files-'))
      t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
      const port = await freePort()
      const args = ['serve', '--port', String(port), '--host', '127.0.0.1', '--data', folder, '--workers', workers]
      const command = `ulimit -n ${FILES} && exec "$0" "$@"`
      const child = startProcess('sh', ['-c', command, process.execPath, join(ROOT, 'bin/kalends.js'), ...args], {
        env: { ...process.env, KALENDS_STOP_DELAY: '0' },
      })
      let out = ''
      const sockets: Socket[] = []
      const admin = new Visitor(port, '127.0.0.1')
      const open = () => {
        const socket = connect(port, '127.0.0.1')
        sockets.push(socket.on('error', () => {}).resume())
      }
      t.after(() => {
        for (const socket of sockets) socket.destroy()
        admin.close()
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (data) => {
          // One that is there before all others is kept.
          if (!/listening at/.test(out) && /listening at/.test(`${out}${data}`)) {
            void admin.ask('/healthz').then(() => {
              for (let n = 0; n < CONNECTIONS; n++) open()
            })
          }
          out += data
        })
      }
      await eventually(() => /password {2}\S+\n/.test(out) && sockets.length === CONNECTIONS)
      const authorization = `Basic ${btoa(`admin:${/password {2}(\S+)/.exec(out)?.[1]}`)}`
      const ask = async (path: string, sent: Parameters<Visitor['ask']>[1] = {}) => {
        const { status, body } = await admin.ask(path, { ...sent, headers: { authorization, ...sent.headers } })
        assert.ok(status === 200 || status === 201, `${path} answered ${status} ${body}\n${out.slice(-2000)}`)
        return body
      }
      await ask(`${REST}/doc?format=yaml`)
      await ask('/docs')
      await ask('/embed.js')
      const event = { title: 'Later', start_date: '10 june 2031 7pm', end_date: '2031-07-01 20:00' }
      await ask(`${REST}/events`, { json: { ...event, timezone: 'Asia/Kathmandu', description: '<b>&copy;</b>' } })
      const raw = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
        .png()
        .toBuffer()
      await ask(`${REST}/images`, { raw, headers: { 'content-type': 'image/png' } })
      const calendar =
        'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20310610T190000Z\r\nSUMMARY:Brought\r\nEND:VEVENT\r\n'
      await ask(`${REST}/import`, {
        raw: Buffer.from(`${calendar}END:VCALENDAR\r\n`),
        headers: { 'content-type': 'text/calendar' },
      })
      for (const language of ['de', 'fr', 'es', 'en']) {
        await ask('/events/', { headers: { 'accept-language': language } })
        await ask('/events.ics', { headers: { 'accept-language': language } })
      }
      assert.equal(child.exitCode, null, out)
      assert.doesNotMatch(out, /EMFILE|too many open files/i)
    })
  })
}
