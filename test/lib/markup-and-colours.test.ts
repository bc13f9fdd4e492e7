import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Colour, contrast, formatColour, parseColour, readableOn, textColourOn } from '../../src/lib/colour.ts'
import { html, jsonInScript, safe } from '../../src/lib/markup.ts'
import { frameAround, project, TILE, tilesOf } from '../../src/lib/mercator.ts'
import fc, { CHARACTER } from '../support/property.ts'

describe('a template', () => {
  it('escapes every text, wherever it stands, and leaves markup as it is', () => {
    const name = `<b>"Tom" & 'Jerry'</b>`
    assert.equal(
      html`<p title="${name}">${name}${safe('<br>')}${[html`<i>${1}</i>`, null, false, undefined]}</p>`.text,
      '<p title="&lt;b&gt;&quot;Tom&quot; &amp; &#39;Jerry&#39;&lt;/b&gt;">&lt;b&gt;&quot;Tom&quot; &amp; &#39;Jerry&#39;&lt;/b&gt;<br><i>1</i></p>',
    )
  })

  it('lets no text begin a tag or end an attribute', () => {
    fc.assert(fc.property(fc.string({ unit: CHARACTER }), (text) => !/[<>"']/.test(html`${text}`.text)))
  })

  it('writes JSON that ends no script and reads back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text } = jsonInScript({ value, end: '</script><!--\u2028\u2029' })
        return !/[<>&\u2028\u2029]/.test(text) && JSON.stringify(JSON.parse(text).value) === JSON.stringify(value)
      }),
    )
  })
})

describe('colours', () => {
  const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)) as fc.Arbitrary<Colour>

  it('are read and written', () => {
    assert.equal(formatColour(parseColour('#2F6b46') ?? [0, 0, 0]), '#2f6b46')
    assert.deepEqual(parseColour('#fc0'), [255, 204, 0])
    for (const text of ['', 'red', '#12', '#12345', '#gggggg', 'url(x)', '#fff;}'])
      assert.equal(parseColour(text), null)
  })

  it('can be read on white and on black, whatever they were', () => {
    assert.equal(Math.round(contrast([0, 0, 0], [255, 255, 255])), 21)
    fc.assert(
      fc.property(colour, (any) =>
        [
          [255, 255, 255],
          [20, 22, 26],
        ].every((paper) => contrast(readableOn(any, [paper as unknown as Colour]), paper as unknown as Colour) >= 4.5),
      ),
    )
    fc.assert(fc.property(colour, (any) => contrast(textColourOn(any), any) >= 4.5))
  })
})

describe('a map', () => {
  const place = fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  })

  it('shows every place, with tiles that cover it', () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), fc.boolean(), (places, whole) => {
        const frame = frameAround(places, { width: 680, least: 400, most: 640, whole })
        if (frame.zoom === 0) return true
        const inside = places.every((one) => {
          const { x, y } = project(one, frame.zoom)
          return x >= frame.left && x <= frame.left + 680 && y >= frame.top && y <= frame.top + frame.height
        })
        const tiles = tilesOf({ ...frame, zoom: Math.floor(frame.zoom) })
        return inside && tiles.length <= (680 / TILE + 2) * (640 / TILE + 2)
      }),
    )
  })

  it('knows where tiles lie', () => {
    // The formula of https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames, written another way.
    fc.assert(
      fc.property(fc.double({ min: -85, max: 85, noNaN: true }), fc.nat(18), (lat, zoom) => {
        const expected = ((1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2) * 2 ** zoom
        return Math.abs(project({ lat, lng: 0 }, zoom).y / TILE - expected) < 1e-6
      }),
    )
  })
})
