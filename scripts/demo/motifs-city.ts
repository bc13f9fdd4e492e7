import type { Draw } from './motifs-culture.ts'
import {
  circle,
  HEIGHT,
  half,
  hill,
  leaf,
  line,
  path,
  polygon,
  rect,
  ring,
  smooth,
  times,
  turn,
  WIDTH,
} from './shapes.ts'

/** A bowl and what is in it, seen from above; or fruit in rows. */
export const food: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const x = chance.int(520, 680)
    const slices = times(7, (n) => turn(half(x, 250, 62, n % 2 ? a : b), n * 51 + variant * 9, x, 400))
    return `${rect(0, 0, WIDTH, HEIGHT, c, 'opacity=".55"')}${times(9, (n) => rect(n * 150 - 20, 0, 60, HEIGHT, paper, 'opacity=".22"'))}${circle(x, 400, 330, paper)}${circle(x, 400, 262, d)}${slices}${circle(x, 400, 96, b)}${times(9, () => circle(x + chance.int(-64, 64), 400 + chance.int(-64, 64), 11, ink))}${times(5, (n) => leaf(x, 400, 150, c, n * 72 + 20, 0.2))}${rect(110, 170, 22, 470, ink, 'rx="11"')}${times(3, (n) => rect(84 + n * 28, 130, 16, 150, ink, 'rx="8"'))}${rect(1060, 330, 22, 310, ink, 'rx="11"')}<ellipse cx="1071" cy="240" rx="48" ry="92" fill="${ink}"/>`
  }
  return times(15, (n) => {
    const [x, y] = [150 + (n % 5) * 225, 150 + Math.floor(n / 5) * 250]
    const tone = [a, b, c, d][(n * 3 + variant) % 4] ?? a
    const kind = (n * 5 + variant) % 4
    if (kind === 0) return circle(x, y, 82, tone) + leaf(x + 8, y - 66, 74, ink, 48)
    if (kind === 1)
      return (
        circle(x, y, 84, tone) +
        ring(x, y, 64, paper, 8) +
        times(6, (k) => line(`M${x} ${y}L${x + Math.cos(k * 1.047) * 60} ${y + Math.sin(k * 1.047) * 60}`, paper, 6))
      )
    if (kind === 2)
      return (
        path(`M${x} ${y - 92}c30 40 84 60 84 118a84 76 0 0 1-168 0c0-58 54-78 84-118z`, tone) +
        circle(x - 24, y + 18, 12, paper, 'opacity=".7"')
      )
    return (
      half(x, y + 12, 90, tone, 180) +
      rect(x - 100, y - 2, 200, 20, ink, 'rx="10"') +
      times(3, (k) => line(`M${x - 40 + k * 40} ${y - 30}q-14-20 0-40t0-40`, tone, 7))
    )
  })
}

/** Awnings over a street. */
export const market: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  const stall = (n: number) => {
    const x = 40 + n * 290
    const y = 300 + ((n + variant) % 2) * 26
    const tone = [a, d, c, b][(n + variant) % 4] ?? a
    const stripes = times(6, (k) => {
      const fill = k % 2 ? paper : tone
      return (
        path(`M${x + 20 + k * 36.7} ${y - 130}h36.7L${x + (k + 1) * 43.3} ${y}h-43.3z`, fill) +
        half(x + k * 43.3 + 21.7, y, 21.7, fill, 180)
      )
    })
    const goods = times(
      6,
      (k) =>
        circle(x + 34 + k * 38, y + 196, 22, [b, a, c, d][(k + n + variant) % 4] ?? b) +
        circle(x + 53 + k * 36, y + 168, 20, [a, c, b, d][(k + n) % 4] ?? a),
    )
    return `${rect(x + 14, y - 20, 12, 400, ink)}${rect(x + 234, y - 20, 12, 400, ink)}${stripes}${goods}${rect(x, y + 208, 260, 118, ink)}${rect(x + 12, y + 222, 236, 12, tone)}`
  }
  const lamps = times(15, (n) => circle(n * 86, 96 + Math.sin(n * 0.9) * 26, 13, n % 3 ? b : paper))
  const wire = line(
    smooth(Array.from({ length: 15 }, (_, n) => [n * 86, 80 + Math.sin(n * 0.9) * 26] as const)),
    ink,
    4,
  )
  return `${circle(chance.int(200, 1000), 240, 150, d, 'opacity=".35"')}${wire}${lamps}${rect(0, 640, WIDTH, 160, c, 'opacity=".6"')}${times(4, stall)}`
}

/** Tools on a board, or threads that cross. */
export const craft: Draw = (_, { ink, paper, tones, back }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const warp = times(15, (n) => rect(30 + n * 78, -10, 48, 820, [a, b, c, d][(n + variant) % 4] ?? a))
    const weft = times(10, (row) =>
      times(15, (n) =>
        (n + row) % 2
          ? ''
          : rect(16 + n * 78, 16 + row * 80, 76, 48, [d, paper, ink][(row + variant) % 3] ?? d, 'rx="10"'),
      ),
    )
    return warp + weft
  }
  const pot = (x: number, s: number, fill: string, band: string) =>
    turn(
      `<g transform="translate(${x} 640) scale(${s})">${path('M-56-262h112c-4 44 74 74 74 150c0 66-52 112-84 112h-92c-32 0-84-46-84-112c0-76 78-106 74-150z', fill)}${rect(-70, -276, 140, 26, band, 'rx="13"')}${line('M-112-112q28-34 56 0t56 0t56 0t56 0', band, 10)}</g>`,
      0,
      x,
      640,
    )
  return `${rect(0, 640, WIDTH, 160, ink)}${circle(600, 330, 270, b)}${pot(330, 1.05, a, paper)}${pot(960, 0.9, c, ink)}${pot(640, 1.5, d, paper)}${rect(90, 300, 14, 340, ink, 'rx="7"')}${path('M72 210h50l-10 100h-30z', ink)}${rect(0, 640, WIDTH, 12, back)}`
}

/** Planets, angles and equations without numbers. */
export const learn: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const x = chance.int(520, 700)
    const orbits = [140, 220, 300, 380, 470].map((r, n) => {
      const angle = chance.next() * 6.28
      return (
        ring(x, 400, r, ink, 3, 'opacity=".45"') +
        circle(
          x + Math.cos(angle) * r,
          400 + Math.sin(angle) * r * 0.98,
          20 + ((n * 13 + variant * 7) % 26),
          [a, c, d, b, a][n] ?? a,
        )
      )
    })
    return `${times(40, () => circle(chance.int(0, WIDTH), chance.int(0, HEIGHT), chance.int(2, 4), ink, 'opacity=".5"'))}${orbits.join('')}${circle(x, 400, 86, b)}${half(x, 400, 86, a, chance.int(0, 7) * 45)}`
  }
  return `${polygon(
    [
      [120, 660],
      [520, 660],
      [320, 250],
    ],
    a,
  )}${circle(320, 540, 78, b)}${rect(480, 160, 300, 300, d)}${half(630, 460, 150, paper, 0)}${path('M780 700a330 330 0 0 1 330-330v330z', c)}${line('M780 700a330 330 0 0 1 330-330', ink, 6)}${circle(930, 230, 110, b)}${ring(930, 230, 150, ink, 6)}${line('M90 660H1130M480 460V700', ink, 6)}${times(6, (n) => rect(560 + n * 32, 560, 14, 60 + ((n * 37 + variant * 20) % 80), ink, 'rx="7"'))}`
}

/** Blocks, kites and balloons. */
export const family: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const kite = (x: number, y: number, s: number, tone: string, other: string, lean: number) =>
      turn(
        `${polygon(
          [
            [x, y - 130 * s],
            [x + 86 * s, y],
            [x, y + 150 * s],
            [x - 86 * s, y],
          ],
          tone,
        )}${polygon(
          [
            [x, y - 130 * s],
            [x + 86 * s, y],
            [x, y],
          ],
          other,
        )}${polygon(
          [
            [x, y + 150 * s],
            [x - 86 * s, y],
            [x, y],
          ],
          other,
        )}${line(`M${x} ${y + 150 * s}q40 60 0 120t10 130`, ink, 5)}${times(3, (n) =>
          polygon(
            [
              [x - 24, y + 180 * s + n * 64],
              [x + 24, y + 204 * s + n * 64],
              [x + 24, y + 180 * s + n * 64],
              [x - 24, y + 204 * s + n * 64],
            ],
            other,
          ),
        )}`,
        lean,
        x,
        y,
      )
    const cloud = (x: number, y: number, s: number) =>
      `${circle(x, y, 54 * s, paper)}${circle(x + 62 * s, y - 26 * s, 70 * s, paper)}${circle(x + 136 * s, y, 54 * s, paper)}${rect(x, y, 136 * s, 54 * s, paper)}`
    return `${cloud(110, 200, 1)}${cloud(820, 560, 1.15)}${cloud(520, 660, 0.7)}${kite(330, 330, 1.25, a, b, chance.int(-24, -8))}${kite(800, 260, 1, d, c, chance.int(10, 26))}${kite(590, 420, 0.72, b, a, chance.int(-10, 14))}`
  }
  const tones5 = [a, b, c, d, ink]
  const block = (x: number, y: number, n: number) => {
    const [one, two] = [tones5[(n * 2 + variant) % 5] ?? a, tones5[(n * 2 + variant + 2) % 5] ?? b]
    const inside = [
      circle(x + 75, y + 75, 48, two),
      half(x + 75, y + 105, 56, two),
      polygon(
        [
          [x + 75, y + 28],
          [x + 124, y + 116],
          [x + 26, y + 116],
        ],
        two,
      ),
      rect(x + 40, y + 40, 70, 70, two, 'rx="10"'),
      ring(x + 75, y + 75, 40, two, 16),
    ][(n + variant) % 5]
    return rect(x, y, 150, 150, one, 'rx="16"') + inside
  }
  const towers = [3, 1, 4, 2, 4, 1, 3]
  return `${circle(chance.int(180, 1020), 190, 96, b, 'opacity=".8"')}${towers.map((count, t) => times(count, (n) => block(66 + t * 154, 540 - n * 154, t * 4 + n))).join('')}${rect(0, 694, WIDTH, 106, d)}`
}

/** Hills behind hills. */
export const nature: Draw = (chance, { ink, paper, tones, back }, variant) => {
  const [a, b, c, d] = tones
  const sun = circle(chance.int(260, 940), chance.int(180, 300), chance.int(80, 120), variant % 2 ? a : b)
  const trees = times(7, (n) => {
    const x = 60 + n * 178 + chance.int(-34, 34)
    const [y, s] = [700 + chance.int(-30, 30), 0.8 + chance.next() * 0.5]
    return `${rect(x - 5, y - 60 * s, 10, 90 * s, paper, 'opacity=".8"')}${(n + variant) % 3 ? leaf(x, y, 200 * s, ink, 0, 0.3) : circle(x, y - 110 * s, 66 * s, ink)}`
  })
  const birds = times(4, (n) => {
    const [x, y] = [180 + n * 70 + variant * 40, 170 + (n % 2) * 40]
    return line(`M${x - 22} ${y}q12-16 22 0q10-16 22 0`, ink, 5)
  })
  return `${sun}${hill(chance, 400, 70, c)}${hill(chance, 490, 60, d)}${hill(chance, 580, 50, variant % 2 ? b : a)}${hill(chance, 690, 34, d)}${trees}${hill(chance, 768, 14, back, 4)}${birds}`
}

/** A row of houses along the quay. */
export const houses: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  let x = -20
  const row = times(10, (n) => {
    const width = chance.int(110, 160)
    const height = chance.int(230, 400)
    const top = 640 - height
    const tone = [a, b, c, d, paper][(n * 2 + variant) % 5] ?? a
    const roof =
      n % 3 === 0
        ? polygon(
            [
              [x, top],
              [x + width / 2, top - 90],
              [x + width, top],
            ],
            ink,
          )
        : n % 3 === 1
          ? path(`M${x} ${top}h${width / 4}v-40h${width / 2}v40h${width / 4}z`, tone)
          : rect(x - 4, top - 14, width + 8, 16, ink)
    const panes = times(Math.floor((height - 90) / 74), (k) =>
      times(2, (m) =>
        rect(x + width * (m ? 0.58 : 0.18), top + 30 + k * 74, width * 0.24, 44, (k + m + n) % 4 ? ink : b, 'rx="3"'),
      ),
    )
    const house = `${roof}${rect(x, top, width, height + 4, tone)}${panes}${rect(x + width * 0.38, 572, width * 0.26, 70, ink, 'rx="4"')}`
    x += width
    return house
  })
  const water = times(5, (n) =>
    line(`M${60 + ((n * 250 + variant * 90) % 900)} ${690 + n * 22}h${90 + n * 24}`, paper, 6, 'opacity=".7"'),
  )
  return `${circle(chance.int(250, 950), 170, 84, variant % 2 ? b : a)}${row}${rect(0, 640, WIDTH, 22, ink)}${rect(0, 660, WIDTH, 140, d)}${water}`
}
