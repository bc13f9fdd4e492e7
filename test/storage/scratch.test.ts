import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { fstatSync, readdirSync, readlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Scratch } from '../../src/http/cache/scratch-file.ts'

const MOST = 2 ** 20

/** Where an open file of this process is. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}

describe('the scratch file', () => {
  it('gives back what was put, the latest of each key', () => {
    const scratch = new Scratch(MOST)
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

  it('stays within its bound, and begins anew when it is full', () => {
    const scratch = new Scratch(MOST)
    const written = () =>
      readdirSync('/proc/self/fd')
        .filter((name) => linkOf(name).includes('kalends-scratch-'))
        .map((name) => fstatSync(Number(name)).size)
        .reduce((sum, size) => sum + size, 0)
    let largest = 0
    for (let key = 0; key < 100; key++) {
      const body = randomBytes(50_000)
      scratch.put(key, 1, 'head', body)
      assert.deepEqual(scratch.get(key), [1, 'head', body])
      largest = Math.max(largest, written())
    }
    assert.ok(largest > MOST / 2 && largest <= MOST, `${largest} bytes`)
    assert.equal(scratch.get(0), undefined)
    scratch.close()
  })

  it('keeps nothing that is too long, and nothing where it cannot write', () => {
    const scratch = new Scratch(MOST)
    scratch.put(1, 1, 'head', Buffer.alloc(2 ** 20 + 1))
    scratch.put(1, 1, 'head', randomBytes(2 ** 19))
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
