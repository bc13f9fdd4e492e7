import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { MOTIFS, named, PALETTES } from './content.ts'

/**
 * A poster as SVG. The drawings have the colours of the first palette; another palette replaces each of them by its own.
 * Drawings contain no letters, so fonts do not matter.
 */
export function draw(motif: string, variant: number): string {
  const number = (variant % named(MOTIFS, motif)) + 1
  const drawing = readFileSync(new URL(`posters/${motif}-${number}.svg`, import.meta.url), 'utf8')
  // Each motif starts at another palette, so that neighbours on a page differ.
  const palette = (Object.keys(MOTIFS).indexOf(motif) * 3 + variant * 7) % PALETTES.length
  const [from, to] = [coloursOf(0), coloursOf(palette)]
  return drawing.replaceAll(/#[0-9a-f]{6}\b/g, (colour) => to[from.indexOf(colour)] ?? colour)
}

function coloursOf(index: number): readonly string[] {
  const palette = PALETTES[index]
  if (palette === undefined) throw new Error(`there is no palette ${index}`)
  const { back, ink, paper, shade, tones } = palette
  return [back, ink, paper, shade, ...tones]
}

/** The poster as an uploaded file: two widths, JPEG or WebP. A drawing that is used a second time is mirrored. */
export async function render(motif: string, variant: number): Promise<Buffer> {
  const isMirrored = Math.floor(variant / named(MOTIFS, motif)) % 2 === 1
  const picture = sharp(Buffer.from(draw(motif, variant)))
    .flop(isMirrored)
    .resize({ width: variant < 2 ? 1200 : 1024 })
  return variant % 5 === 4 ? picture.webp({ quality: 88 }).toBuffer() : picture.jpeg({ quality: 88 }).toBuffer()
}
