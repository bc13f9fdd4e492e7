import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PackedTexts } from '../../src/lib/packed-texts.ts'

const MIB = 2 ** 20
const long = (n: number, length = MIB / 8) => `${n} `.padEnd(length - 4, 'x')

const filled = (maxBytes: number, count: number) => {
  const texts = new PackedTexts(maxBytes)
  for (let n = 0; n < count; n++) texts.set(n, long(n))
  return texts
}
const kept = (texts: PackedTexts, count: number) =>
  Array.from({ length: count }, (_, n) => n).filter((n) => texts.get(n) !== undefined)

describe('texts outside of the heap', () => {
  it('are all there while there is room for them', () => {
    const texts = filled(4 * MIB, 32)
    for (let n = 0; n < 32; n++) assert.equal(texts.get(n), long(n))
    assert.equal(texts.get(32), undefined)
  })

  it('come back as they were, whatever their characters', () => {
    const texts = new PackedTexts(MIB)
    const different = ['', 'plain', 'Zoë ÿ', 'Ā', 'новый', '日本 🎉', 'line\nline\0', '\ud800 alone']
    different.forEach((text, n) => void texts.set(n, text))
    assert.deepEqual(
      different.map((_, n) => texts.get(n)),
      different,
    )
  })

  it('have keys beyond 32 bits', () => {
    const texts = new PackedTexts(MIB)
    texts.set(2 ** 52, 'large')
    assert.equal(texts.get(2 ** 52), 'large')
  })

  it('never take more than there is room for, and are right where they stay', () => {
    const texts = filled(4 * MIB, 1000)
    const stay = kept(texts, 1000)
    assert.ok(stay.length <= 32 && stay.length > 20, String(stay.length))
    for (const n of stay) assert.equal(texts.get(n), long(n))
  })

  it('are mostly still there when more are read in turn than there is room for', () => {
    const texts = filled(16 * MIB, 140)
    let hits = 0
    for (let n = 0; n < 1400; n++) {
      if (texts.get(n % 140) !== undefined) hits++
      else texts.set(n % 140, long(n % 140))
    }
    assert.ok(hits > 700, `${hits} of 1400`)
  })

  it('are replaced and cleared', () => {
    const texts = filled(4 * MIB, 32)
    texts.set(3, 'other')
    assert.equal(texts.get(3), 'other')
    // The segment of the first text is emptied at some time; the second is elsewhere by then, or gone as well.
    for (let n = 100; n < 200; n++) texts.set(n, long(n))
    assert.ok([undefined, 'other'].includes(texts.get(3)))
    texts.clear()
    assert.deepEqual(kept(texts, 200), [])
    texts.set(1, 'again')
    assert.equal(texts.get(1), 'again')
  })

  it('that are too long are not kept, nor what they would replace', () => {
    const texts = filled(4 * MIB, 2)
    texts.set(1, 'x'.repeat(MIB))
    assert.equal(texts.get(1), undefined)
    texts.set(2, 'й'.repeat(MIB / 2))
    assert.equal(texts.get(2), undefined)
    assert.equal(texts.get(0), long(0))
  })
})
