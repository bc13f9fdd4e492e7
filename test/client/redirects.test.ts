import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Kalends } from '../../packages/client/src/index.ts'
import { type RecordingServer, startRecording } from '../support/recording-server.ts'

describe('@kalends/client, when it is led elsewhere', () => {
  let one: RecordingServer
  let other: RecordingServer
  before(async () => {
    one = await startRecording()
    other = await startRecording()
  })
  after(async () => {
    await one.close()
    await other.close()
  })

  it('sends its token or password to the same origin alone', async () => {
    const path = '/calendar/events/v1/events/1'
    for (const credentials of [{ token: 'secret' }, { username: 'editor', password: 'secret' }]) {
      const kalends = new Kalends({ url: `http://127.0.0.1:${one.port}`, ...credentials })
      const last = ({ received }: RecordingServer) => [received.at(-1)?.url, received.at(-1)?.headers.authorization]
      one.redirects.set(path, `http://127.0.0.1:${one.port}/here`)
      await kalends.events.get(1)
      assert.deepEqual([last(one)[0], last(one)[1] === undefined], ['/here', false])
      for (const host of [`127.0.0.1:${other.port}`, `localhost:${other.port}`]) {
        one.redirects.set(path, `http://${host}/there`)
        await kalends.events.get(1)
        assert.deepEqual(last(other), ['/there', undefined])
      }
      other.redirects.set('/there', `http://127.0.0.1:${one.port}/back`)
      await kalends.events.get(1)
      assert.deepEqual(last(one), ['/back', undefined])
      other.redirects.clear()
    }
  })
})
