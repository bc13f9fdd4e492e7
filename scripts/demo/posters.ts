import sharp from 'sharp'
import { craft, family, food, houses, learn, market, nature } from './motifs-city.ts'
import { art, beat, books, type Draw, film, music, stage } from './motifs-culture.ts'
import { calm, festival, sea, sport, winter } from './motifs-season.ts'
import type { Chance } from './random.ts'
import { HEIGHT, PALETTES, WIDTH } from './shapes.ts'

const MOTIFS = {
  music,
  beat,
  stage,
  film,
  art,
  books,
  food,
  market,
  craft,
  learn,
  family,
  nature,
  houses,
  sea,
  sport,
  calm,
  winter,
  festival,
} satisfies Record<string, Draw>

/** What a picture is of. */
export type Motif = keyof typeof MOTIFS
export const MOTIF_NAMES = Object.keys(MOTIFS) as Motif[]

/** Shapes that are cut from paper lie in the light. */
const LIGHT = `<radialGradient id="light" cx=".28" cy=".2" r="1"><stop offset="0" stop-color="#fff" stop-opacity=".16"/><stop offset=".6" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#20102a" stop-opacity=".14"/></radialGradient>`

/** A picture as SVG: no letters, so that it looks the same wherever it is made. */
export function draw(motif: Motif, variant: number, chance: Chance): string {
  const place = MOTIF_NAMES.indexOf(motif)
  // Each motif begins elsewhere in the palettes, so that neighbours on a page differ.
  const palette = PALETTES[(place * 3 + variant * 7) % PALETTES.length] ?? PALETTES[0]
  if (palette === undefined) throw new Error('there are no palettes')
  const inside = MOTIFS[motif](chance, palette, variant)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${LIGHT}</defs><rect width="${WIDTH}" height="${HEIGHT}" fill="${palette.back}"/>${inside}<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#light)"/></svg>`
}

/** The same, as pictures are sent in: some wide enough for every smaller size, mostly JPEG, now and then WebP. */
export async function render(motif: Motif, variant: number, chance: Chance): Promise<Buffer> {
  const picture = sharp(Buffer.from(draw(motif, variant, chance))).resize({ width: variant < 2 ? WIDTH : 1024 })
  return variant % 5 === 4 ? picture.webp({ quality: 88 }).toBuffer() : picture.jpeg({ quality: 88 }).toBuffer()
}
