import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, fstatSync, readdirSync, readlinkSync, statfsSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Entry, ScratchFile } from '../../src/http/cache/scratch-file.ts'

const MOST = 2 ** 20

/** Linux has a file system in memory here; it needs room for the test. */
const SHARED_MEMORY = '/dev/shm'
const IS_TMPFS = hasRoom(SHARED_MEMORY, 2 ** 30)

function hasRoom(folder: string, bytes: number): boolean {
  if (!existsSync(folder)) return false
  const { type, bavail, bsize } = statfsSync(folder)
  return type === 0x01021994 && bavail * bsize >= bytes
}

/** Where an open file of this process is. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}

/** Size of all scratch files of this process. */
function written(): number {
  return readdirSync('/proc/self/fd')
    .filter((name) => linkOf(name).includes('kalends-scratch-'))
    .map((name) => fstatSync(Number(name)).size)
    .reduce((sum, size) => sum + size, 0)
}

describe('the scratch file', () => {
  it('gives back what was put, the latest of each key', () => {
    const scratch = new ScratchFile(MOST)
    assert.equal(scratch.get(1), undefined)
    scratch.put(1, 'héad', Buffer.from('one'))
    scratch.put(2, '', Buffer.alloc(0))
    scratch.put(1, 'head\nof two lines', Buffer.from('another'))
    assert.deepEqual(scratch.get(1), { head: 'head\nof two lines', body: Buffer.from('another') })
    assert.deepEqual(scratch.get(2), { head: '', body: Buffer.alloc(0) })
    assert.equal(scratch.get(3), undefined)
    scratch.clear()
    assert.equal(scratch.get(1), undefined)
    scratch.put(3, 'after', Buffer.from('clearing'))
    assert.deepEqual(scratch.get(3), { head: 'after', body: Buffer.from('clearing') })
    scratch.close()
    assert.equal(scratch.get(3), undefined)
  })

  it('stays within its bound, and overwrites the oldest when it is full', () => {
    const scratch = new ScratchFile(MOST)
    for (let key = 0; key < 100; key++) {
      const body = randomBytes(50_000)
      scratch.put(key, 'head', body)
      assert.deepEqual(scratch.get(key), { head: 'head', body })
      assert.ok(written() <= MOST, `${written()} bytes`)
    }
    const known = Array.from({ length: 100 }, (_, key) => key).filter((key) => scratch.get(key) !== undefined)
    assert.ok(known.length >= 19, `${known.length} entries`)
    assert.deepEqual(
      known,
      Array.from({ length: known.length }, (_, n) => 100 - known.length + n),
    )
    scratch.close()
  })

  it('gives back what was put or nothing, whatever is put', () => {
    const put = fc.tuple(fc.nat(9), fc.string({ maxLength: 5 }), fc.uint8Array({ maxLength: 400 }))
    const change = fc.oneof(
      { weight: 20, arbitrary: put },
      { weight: 2, arbitrary: fc.nat(9) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
    )
    const holds = (changes: readonly ([number, string, Uint8Array] | number | 'clear')[]) => {
      const scratch = new ScratchFile(1000)
      const latest = new Map<number, Entry>()
      for (const one of changes) {
        if (one === 'clear') {
          scratch.clear()
          latest.clear()
        } else if (typeof one === 'number') {
          scratch.delete(one)
          latest.delete(one)
        } else {
          const [key, head, body] = one
          assert.ok(scratch.put(key, head, body))
          latest.set(key, { head, body: Buffer.from(body) })
          assert.deepEqual(scratch.get(key), latest.get(key))
        }
        for (const [key, entry] of latest) assert.deepEqual(scratch.get(key) ?? entry, entry)
        for (let key = 0; key < 10; key++) if (!latest.has(key)) assert.equal(scratch.get(key), undefined)
      }
      scratch.close()
    }
    fc.assert(fc.property(fc.array(change, { maxLength: 60 }), holds))
  })

  it('keeps nothing that is too long, and nothing where it cannot write', () => {
    const scratch = new ScratchFile(MOST)
    assert.equal(scratch.put(1, 'head', Buffer.alloc(2 ** 20)), false)
    assert.equal(scratch.get(1), undefined)
    const folder = process.env.TMPDIR
    process.env.TMPDIR = '/nowhere/at/all'
    try {
      assert.equal(scratch.put(2, 'head', Buffer.from('body')), false)
      assert.equal(scratch.get(2), undefined)
    } finally {
      if (folder === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = folder
    }
    assert.equal(scratch.put(3, 'head', Buffer.from('body')), true)
    scratch.close()
  })

  it('takes less room where the folder is in memory', { skip: !IS_TMPFS && 'no file system in memory' }, () => {
    const folder = process.env.TMPDIR
    process.env.TMPDIR = SHARED_MEMORY
    const scratch = new ScratchFile(2 ** 30)
    try {
      const body = Buffer.alloc(2 ** 20 - 100)
      for (let key = 0; key < 70; key++) assert.ok(scratch.put(key, 'head', body))
      assert.ok(written() <= 64 * 2 ** 20, `${written()} bytes`)
      assert.ok(scratch.get(69))
    } finally {
      scratch.close()
      if (folder === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = folder
    }
  })
})
