import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Scratch } from '../../src/storage/scratch.ts'

describe('the scratch file', () => {
  it('gives back what was put, the latest of each key', () => {
    const scratch = new Scratch()
    assert.equal(scratch.get(1), undefined)
    scratch.put(1, 7, 'héad', Buffer.from('one'))
    scratch.put(2, 2 ** 52, '', Buffer.alloc(0))
    scratch.put(1, 8, 'head\nof two lines', Buffer.from('another'))
    assert.deepEqual(scratch.get(1), [8, 'head\nof two lines', Buffer.from('another')])
    assert.deepEqual(scratch.get(2), [2 ** 52, '', Buffer.alloc(0)])
    assert.equal(scratch.has(3), false)
    scratch.clear()
    assert.equal(scratch.has(1), false)
    scratch.put(3, 1, 'after', Buffer.from('clearing'))
    assert.deepEqual(scratch.get(3), [1, 'after', Buffer.from('clearing')])
    scratch.close()
    assert.equal(scratch.get(3), undefined)
  })

  it('reads into the room that it is given', () => {
    const scratch = new Scratch()
    const room = Buffer.alloc(1000, 'x')
    scratch.put(1, 1, 'head', Buffer.from('body'))
    const [, head, body] = scratch.get(1, () => room) ?? []
    assert.deepEqual([head, String(body)], ['head', 'body'])
    assert.equal(body?.buffer, room.buffer)
    scratch.close()
  })

  it('keeps nothing that is too long, and nothing where it cannot write', () => {
    const scratch = new Scratch()
    scratch.put(1, 1, 'head', Buffer.alloc(2 ** 20))
    assert.equal(scratch.has(1), false)
    const folder = process.env.TMPDIR
    process.env.TMPDIR = '/nowhere/at/all'
    try {
      scratch.put(2, 1, 'head', Buffer.from('body'))
      assert.equal(scratch.get(2), undefined)
    } finally {
      if (folder === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = folder
    }
    scratch.put(3, 1, 'head', Buffer.from('body'))
    assert.equal(scratch.has(3), true)
    scratch.close()
  })
})
