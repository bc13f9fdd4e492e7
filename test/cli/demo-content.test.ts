import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as content from '../../scripts/demo/content.ts'
import { draw } from '../../scripts/demo/posters.ts'
import { ROOT } from '../support/sources.ts'

const categories = new Set(Object.entries(content.CATEGORIES).flatMap(([name, { below }]) => [name, ...below]))
const venues = new Set(content.VENUES.map(({ name }) => name))
const described = [...content.SERIES, ...content.FESTIVALS, ...content.SPECIAL_EVENTS]

describe('the content of the demonstration', () => {
  it('refers only to categories, motifs, themes and venues that exist', () => {
    for (const { title, category, motif, venue } of described) {
      assert.ok(categories.has(category), `${title}: ${category}`)
      assert.ok(motif in content.MOTIFS, `${title}: ${motif}`)
      assert.ok(venues.has(venue), `${title}: ${venue}`)
    }
    for (const { title, theme } of [...content.SERIES, ...content.SPECIAL_EVENTS])
      assert.ok(theme in content.ORGANIZERS, `${title}: ${theme}`)
    for (const { title, venue } of content.FESTIVALS.flatMap(({ sessions }) => sessions))
      assert.ok(venues.has(venue), `${title}: ${venue}`)
    for (const { name, kind, district } of content.VENUES) {
      assert.ok(kind in content.VENUE_KINDS, `${name}: ${kind}`)
      assert.ok(district in content.DISTRICTS, `${name}: ${district}`)
    }
    for (const { motif } of Object.values(content.VENUE_KINDS))
      assert.ok(motif === undefined || motif in content.MOTIFS)
  })

  it('has kinds of events that can be filled in', () => {
    const kinds = new Set(content.VENUES.map(({ kind }) => kind))
    for (const kind of content.KINDS) {
      assert.ok(categories.has(kind.category), kind.category)
      assert.ok(kind.motif in content.MOTIFS, `${kind.category}: ${kind.motif}`)
      assert.match(kind.weekdays, /^\d{7}$/, kind.category)
      for (const theme of kind.themes) assert.ok(theme in content.ORGANIZERS, `${kind.category}: ${theme}`)
      for (const venueKind of kind.venueKinds) assert.ok(kinds.has(venueKind), `${kind.category}: ${venueKind}`)
      for (const title of kind.titles) {
        const [, sort] = title.split(' #')
        const fitting = kind.openings.filter((text) =>
          sort === undefined ? !text.startsWith('#') : text.startsWith(`#${sort} `),
        )
        assert.ok(fitting.length > 0, `${kind.category}: no opening for "${title}"`)
      }
    }
  })

  it('has templates whose words exist', () => {
    const given = ['venue', 'organizer', 'Medium']
    const { titles, openings } = content.EXHIBITIONS
    const templates = [
      ...content.KINDS.flatMap((kind) => [...kind.titles, ...kind.openings, ...kind.details]),
      ...Object.values(content.WORDS).flat(),
      ...Object.values(content.CITY.practical).flat(),
      ...[...titles, ...openings],
    ]
    for (const template of templates)
      for (const [, name = ''] of template.matchAll(/\{([^{}|]*)\}/g))
        assert.ok(name in content.WORDS || given.includes(name), `"${template}" names "${name}"`)
  })

  it('has a drawing for every variant of a motif, in the colours of the palettes', () => {
    const files = readdirSync(join(ROOT, 'scripts/demo/posters')).sort()
    const named = Object.entries(content.MOTIFS).flatMap(([motif, count]) =>
      Array.from({ length: count }, (_, index) => `${motif}-${index + 1}.svg`),
    )
    assert.deepEqual(files, named.sort())
    const colours = content.PALETTES.map(({ tones, ...others }) => [...Object.values(others), ...tones])
    // The light that lies on every drawing.
    for (const palette of colours) palette.push('#20102a')
    for (const motif of Object.keys(content.MOTIFS))
      for (let variant = 0; variant < 5; variant++) {
        const used = new Set(draw(motif, variant).match(/#[0-9a-f]{6}\b/g))
        const fits = colours.some((palette) => [...used].every((colour) => palette.includes(colour)))
        assert.ok(fits, `${motif}/${variant}: ${[...used]}`)
      }
  })
})
