import type { Chance } from './random.ts'
import {
  blob,
  circle,
  group,
  HEIGHT,
  half,
  leaf,
  line,
  type Palette,
  path,
  polygon,
  rect,
  ring,
  smooth,
  times,
  turn,
  WIDTH,
} from './shapes.ts'

/** Draws a motif; `variant` counts up, so that pictures of one motif differ in more than chance. */
export type Draw = (chance: Chance, palette: Palette, variant: number) => string

/** Strings that swing, or a record that turns. */
export const music: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const x = chance.int(680, 860)
    const disc = [300, 262, 224, 186].map((r, index) => ring(x, 400, r, index % 2 ? c : b, 3, 'opacity=".7"')).join('')
    return `${half(x, 400, 520, d, 90)}${circle(x, 400, 340, ink)}${disc}${circle(x, 400, 130, a)}${circle(x, 400, 130, 'none')}${half(x, 400, 130, b, chance.int(0, 3) * 90)}${circle(x, 400, 18, paper)}${times(5, (n) => rect(90 + n * 74, 400 - (n % 3) * 70 - 60, 34, 120 + (n % 3) * 140, [a, b, c, d, a][n] ?? a, 'rx="17"'))}`
  }
  const peak = chance.int(420, 780)
  const strings = times(9, (n) => {
    const y = 130 + n * 68
    const swing = (40 + n * 4) * (n % 2 ? 1 : -1)
    const points = Array.from({ length: 13 }, (_, step) => {
      const x = -40 + step * 107
      const near = Math.exp(-(((x - peak) / 260) ** 2))
      return [x, y + Math.sin(step * 1.25 + n) * swing * near] as const
    })
    return line(smooth(points), [a, c, d][n % 3] ?? ink, 5)
  })
  return `${circle(peak, 400, 265, b)}${strings}${times(6, (n) => circle(140 + n * 190, 130 + ((n * 3 + variant) % 9) * 68, 20, n % 2 ? a : ink))}`
}

/** Squares and bars that pulse. */
export const beat: Draw = (chance, { ink, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const heights = Array.from(
      { length: 17 },
      (_, n) => 90 + Math.abs(Math.sin(n * 0.55 + variant)) * 420 + chance.int(0, 80),
    )
    return `${circle(WIDTH * 0.68, 330, 250, d)}${heights.map((h, n) => rect(62 + n * 64, 400 - h / 2, 38, h, [a, b, c, ink][(n * 7 + variant) % 4] ?? a, 'rx="19"')).join('')}`
  }
  const cell = 200
  return times(24, (n) => {
    const [x, y] = [(n % 6) * cell, Math.floor(n / 6) * cell]
    const tone = chance.pick([a, b, c, d])
    const other = chance.pick([a, b, c, d, ink].filter((one) => one !== tone))
    const kind = chance.int(0, 4)
    const inside = [
      circle(x + 100, y + 100, 78, other),
      half(x + 100, y + 150, 100, other),
      `${ring(x + 100, y + 100, 70, other, 18)}${circle(x + 100, y + 100, 26, other)}`,
      path(`M${x} ${y}h200v200z`, other),
      times(4, (bar) => rect(x + 20 + bar * 44, y + 20 + bar * 30, 28, 160 - bar * 30, other)),
    ][kind]
    return rect(x, y, cell, cell, tone) + inside
  })
}

/** A curtain, a cone of light, and somebody small in it. */
export const stage: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  const x = chance.int(470, 730)
  const fold = (n: number, side: 1 | -1) => {
    const outer = side === 1 ? n * 58 : WIDTH - n * 58
    const inner = outer + side * 66
    const hem = 690 - n * n * 9
    return path(
      `M${outer} -10C${outer} 300 ${outer - side * 30} 500 ${outer - side * 24} ${hem}L${inner - side * 24} ${hem - 10}C${inner - side * 24} 480 ${inner} 300 ${inner} -10z`,
      n % 2 ? a : c,
    )
  }
  const folds = [0, 1, 2, 3].map((n) => fold(n, 1) + fold(n, -1)).join('')
  const light = polygon(
    [
      [x - 40, -20],
      [x + 40, -20],
      [x + 250, 690],
      [x - 250, 690],
    ],
    b,
    'opacity=".85"',
  )
  const figure = (at: number, size: number, fill: string) =>
    `${circle(at, 690 - 222 * size, 40 * size, fill)}${path(`M${at - 74 * size} 690c0-${150 * size} ${26 * size}-${172 * size} ${74 * size}-${172 * size}s${74 * size} ${22 * size} ${74 * size} ${172 * size}z`, fill)}`
  const cast =
    variant % 2 === 0
      ? figure(x, 1.15, ink)
      : figure(x - 104, 0.92, d) + figure(x + 96, 1.05, ink) + figure(x - 4, 0.66, a)
  return `${rect(0, 690, WIDTH, 110, d)}${light}<ellipse cx="${x}" cy="692" rx="270" ry="36" fill="${paper}" opacity=".9"/>${cast}${folds}${times(12, (n) => half(50 + n * 100, 0, 50, n % 2 ? c : a, 180))}`
}

/** A beam of light through the dark, or a strip of frames. */
export const film: Draw = (chance, { ink, paper, tones, back }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const y = chance.int(300, 480)
    const dust = times(26, () =>
      circle(
        chance.int(330, 1120),
        chance.int(y - 190, y + 190),
        chance.int(2, 7),
        paper,
        `opacity="${chance.pick(['.35', '.6', '.85'])}"`,
      ),
    )
    const reel = (x: number, r: number, fill: string) =>
      circle(x, y - 150, r, fill) +
      times(5, (n) =>
        circle(
          x + Math.cos((n / 5) * 6.283 + variant) * r * 0.55,
          y - 150 + Math.sin((n / 5) * 6.283 + variant) * r * 0.55,
          r * 0.19,
          back,
        ),
      ) +
      circle(x, y - 150, r * 0.12, back)
    return `${polygon(
      [
        [300, y],
        [WIDTH + 20, y - 330],
        [WIDTH + 20, y + 330],
      ],
      b,
      'opacity=".85"',
    )}${polygon(
      [
        [300, y],
        [WIDTH + 20, y - 190],
        [WIDTH + 20, y + 190],
      ],
      paper,
      'opacity=".45"',
    )}${dust}${reel(120, 92, a)}${reel(262, 68, c)}${rect(56, y - 82, 240, 164, ink, 'rx="18"')}${rect(288, y - 34, 44, 68, d, 'rx="8"')}${circle(126, y, 34, a)}${line(`M140 ${y + 82}L96 800M212 ${y + 82}L256 800`, ink, 16)}`
  }
  const frame = (n: number) => {
    const x = 30 + n * 300
    const sun = circle(x + 60 + n * 45, 330 - Math.sin(n * 1.05) * 80, 46, b)
    const scene = `<clipPath id="f${n}"><rect x="${x}" y="215" width="270" height="370" rx="16"/></clipPath>`
    return `${scene}<g clip-path="url(#f${n})">${rect(x, 215, 270, 370, [d, a, c, d][n] ?? a)}${sun}${path(`M${x} ${470 - n * 14}q90-70 180 0t180 0v160h-360z`, [c, d, a, c][n] ?? c)}${path(`M${x} ${530 + n * 6}q70-40 140 0t140 0v120h-300z`, paper, 'opacity=".85"')}</g>`
  }
  const holes = times(
    21,
    (n) => rect(14 + n * 58, 142, 32, 40, back, 'rx="8"') + rect(14 + n * 58, 618, 32, 40, back, 'rx="8"'),
  )
  return turn(
    `${rect(-60, 112, WIDTH + 120, 576, ink)}${holes}${times(4, frame)}`,
    chance.pick([-6, -4, 5]),
    WIDTH / 2,
    HEIGHT / 2,
  )
}

/** Cut paper, squares within squares, or a vase at a window. */
export const art: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 3 === 1) {
    return times(6, (n) => {
      const [x, y] = [(n % 3) * 400, Math.floor(n / 3) * 400]
      const [one = a, two = b, three = c, four = d] = chance.some([a, b, c, d, paper, ink], 4)
      const inner = n % 2 ? circle(x + 200, y + 236, 74, four) : rect(x + 130, y + 166, 140, 140, four)
      return (
        rect(x, y, 400, 400, one) + rect(x + 44, y + 60, 312, 312, two) + rect(x + 88, y + 116, 224, 224, three) + inner
      )
    })
  }
  if (variant % 3 === 2) {
    const stems = times(5, (n) => {
      const [x, y] = [470 + n * 62, 190 + Math.abs(n - 2) * 46 + chance.int(-20, 20)]
      return (
        line(`M600 520Q${560 + n * 20} 380 ${x} ${y}`, ink, 9) +
        (n % 2 ? circle(x, y, 44, a) + circle(x, y, 16, paper) : leaf(x, y + 40, 150, d, (n - 2) * 16, 0.34))
      )
    })
    const vase = path('M540 500h120c-6 40 62 76 62 150c0 54-40 84-66 84h-112c-26 0-66-30-66-84c0-74 68-110 62-150z', c)
    return `${rect(240, 0, 720, 610, b)}${circle(chance.int(380, 820), 250, 150, paper)}${rect(0, 610, WIDTH, 190, a)}${stems}${vase}${line('M500 640q34-30 68 0t68 0t68 0', paper, 9)}${circle(880, 690, 62, b)}${circle(978, 706, 46, ink)}`
  }
  const frond = (x: number, y: number, size: number, fill: string, lean: number) =>
    turn(
      line(`M${x} ${y}v${-size}`, fill, 10) +
        times(
          5,
          (n) =>
            leaf(x, y - size * (0.15 + n * 0.19), size * 0.42, fill, 55, 0.34) +
            leaf(x, y - size * (0.15 + n * 0.19), size * 0.42, fill, -55, 0.34),
        ),
      lean,
      x,
      y,
    )
  const colours = [a, b, c, d]
  const tiles =
    rect(0, 0, 480, 800, colours[variant % 4] ?? a) + rect(480, 0, 720, 330, colours[(variant + 1) % 4] ?? b)
  return `${tiles}${blob(chance, 840, 300, 230, paper)}${blob(chance, 860, 310, 120, colours[(variant + 2) % 4] ?? c)}${blob(chance, 260, 560, 210, colours[(variant + 3) % 4] ?? d)}${frond(250, 720, 440, paper, chance.int(-14, 10))}${frond(1010, 800, 380, ink, chance.int(6, 18))}${circle(chance.int(540, 640), chance.int(600, 690), 62, ink)}${blob(chance, 700, 620, 70, colours[(variant + 2) % 4] ?? c)}`
}

/** Open books, and what flies out of them. */
export const books: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    let x = 70
    const spines = times(15, (n) => {
      const width = chance.int(46, 92)
      const height = chance.int(330, 540)
      const fill = [a, b, c, d, ink][(n * 3 + variant) % 5] ?? a
      const spine = `${rect(x, 690 - height, width, height, fill, 'rx="5"')}${rect(x, 690 - height + 44, width, 10, paper, 'opacity=".7"')}${rect(x, 690 - 70, width, 10, paper, 'opacity=".7"')}`
      const lean = n === 8 ? turn(spine, 9, x, 690) : spine
      x += width + (n === 8 ? 86 : 6)
      return x < 1190 ? lean : ''
    })
    return `${circle(920, 210, 120, b)}${spines}${rect(0, 690, WIDTH, 28, ink)}`
  }
  const page = (side: 1 | -1, lift: number, fill: string) =>
    path(
      `M600 ${620}C${600 + side * 120} ${540 - lift} ${600 + side * 300} ${540 - lift} ${600 + side * 440} ${600 - lift}v-300C${600 + side * 300} ${240 - lift} ${600 + side * 120} ${250 - lift} 600 330z`,
      fill,
    )
  const birds = times(7, (n) => {
    const [x, y, s] = [
      320 + n * 96 + chance.int(-20, 20),
      230 - Math.sin(n * 0.9) * 110 + chance.int(-20, 20),
      22 + (n % 3) * 12,
    ]
    return line(
      `M${x - s} ${y - s * 0.5}q${s * 0.6} ${-s * 0.2} ${s} ${s * 0.5}q${s * 0.4} ${-s * 0.7} ${s} ${-s * 0.5}`,
      n % 2 ? ink : a,
      8,
    )
  })
  const lines = times(5, (n) =>
    line(`M${240} ${420 + n * 38}q150-50 300 16M${660} ${436 + n * 38}q150-66 300-16`, c, 7, 'opacity=".7"'),
  )
  return `${circle(600, 420, 360, d)}${page(-1, -26, a)}${page(1, -26, a)}${page(-1, 0, paper)}${page(1, 0, paper)}${lines}${line('M600 330V620', ink, 6)}${birds}${group(circle(0, 0, 34, b), `translate(${chance.int(860, 980)} ${chance.int(110, 180)})`)}`
}
