import { html, type Markup, safe } from '../lib/markup.ts'

/** Drawings on a 320 × 200 ground, one per category colour; `b` is stronger than `a`. */
const DRAWINGS: Record<string, string> = {
  // Rays over a horizon.
  'hue-0':
    '<path class="a" d="M160 200 40-20h60zM160 200 130-20h60zM160 200 220-20h60zM160 200-60 60V0zM160 200 380 60V0z"/><circle class="b" cx="160" cy="200" r="76"/>',
  // Bunting on two lines.
  'hue-1':
    '<path class="a" d="M-10 40q170 90 340 0v6q-170 90-340 0zM20 58l40 14-26 40zM96 80l44 5-22 44zM180 85l44-5-18 46zM260 72l40-16-12 48z"/><path class="b" d="M-10 130q170 70 340 0v6q-170 70-340 0zM50 158l42 9-26 33zM138 170h44l-22 40zM228 167l42-10-16 40z"/>',
  // Waves.
  'hue-2':
    '<path class="a" d="M0 90c40-34 80-34 120 0s80 34 120 0 80-34 120 0v110H0z"/><path class="b" d="M-60 140c40-30 80-30 120 0s80 30 120 0 80-30 120 0 80 30 120 0v60H-60z"/>',
  // Arches.
  'hue-3':
    '<path class="a" d="M20 200v-70a60 60 0 0 1 120 0v70zM180 200v-70a60 60 0 0 1 120 0v70z"/><path class="b" d="M95 200v-60a65 65 0 0 1 130 0v60h-26v-60a39 39 0 0 0-78 0v60z"/>',
  // Circles.
  'hue-4':
    '<circle class="a" cx="90" cy="120" r="78"/><circle class="b" cx="214" cy="84" r="54"/><circle class="a" cx="262" cy="170" r="40"/>',
  // Leaves.
  'hue-5':
    '<path class="a" d="M160 210C60 180 40 90 70 10c70 20 110 100 90 200z"/><path class="b" d="M160 210c-20-90 20-160 100-190 20 80-10 160-100 190z"/>',
  // Sheets of a calendar.
  plain:
    '<rect class="a" x="70" y="34" width="130" height="140" rx="14"/><rect class="b" x="120" y="56" width="130" height="130" rx="14"/>',
}

/** Drawing for an event without an image, by the class of its category colour. Decorative. */
export function art(hue: string): Markup {
  return html`<svg class="art" viewBox="0 0 320 200" preserveAspectRatio="xMidYMid slice" aria-hidden="true">${safe(DRAWINGS[hue] ?? '')}</svg>`
}
