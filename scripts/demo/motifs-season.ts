import type { Draw } from './motifs-culture.ts'
import { circle, HEIGHT, half, hill, line, path, polygon, rect, ring, smooth, times, turn, WIDTH } from './shapes.ts'

/** Waves, a boat, a light. */
export const sea: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  const wave = (y: number, fill: string, shift: number) =>
    path(`M${-200 + shift} ${y}${'q50-46 100 0t100 0'.repeat(9)}V810H-210z`, fill)
  const x = chance.int(300, 700)
  const boat = turn(
    `${path(`M${x - 120} 470h250l-46 80h-160z`, ink)}${rect(x - 6, 210, 10, 262, ink)}${path(`M${x + 10} 220c110 60 130 150 130 232h-130z`, a)}${path(`M${x - 14} 250c-80 60-96 130-96 202h96z`, paper)}`,
    chance.int(-6, 6),
    x,
    500,
  )
  const tower =
    variant % 2
      ? `${polygon(
          [
            [980, 620],
            [1004, 240],
            [1066, 240],
            [1090, 620],
          ],
          paper,
        )}${polygon(
          [
            [988, 500],
            [996, 380],
            [1074, 380],
            [1082, 500],
          ],
          a,
        )}${rect(996, 186, 78, 56, ink, 'rx="6"')}${half(1035, 188, 40, a)}<linearGradient id="beam" x1="1" x2="0"><stop offset="0" stop-color="${b}" stop-opacity=".8"/><stop offset="1" stop-color="${b}" stop-opacity="0"/></linearGradient>${polygon(
          [
            [1000, 214],
            [330, 60],
            [330, 260],
          ],
          'url(#beam)',
        )}`
      : ''
  return `${circle(variant % 2 ? 220 : 900, 230, 112, b)}${tower}${wave(520, c, (variant * 37) % 100)}${boat}${wave(590, d, 60)}${wave(660, c, (variant * 53) % 100)}${wave(730, ink, 30)}`
}

/** Lanes, and a ball that crosses them. */
export const sport: Draw = (chance, { back, ink, paper, tones, isDark }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const lanes = [700, 610, 520, 430, 340].map((r, n) => ring(240, 860, r, n % 2 ? a : d, 78)).join('')
    const marks = [746, 656, 566, 476, 386, 296].map((r) => ring(240, 860, r, paper, 5)).join('')
    const t = chance.next() * 0.5 + 0.35
    return `${rect(0, 0, WIDTH, HEIGHT, c, 'opacity=".5"')}${lanes}${marks}${circle(240 + Math.cos(-t) * 565, 860 + Math.sin(-t) * 565, 54, b)}${circle(1010, 170, 88, b)}${line(
      smooth([
        [700, 420],
        [820, 250],
        [920, 190],
      ]),
      ink,
      6,
      'stroke-dasharray="2 22"',
    )}`
  }
  const x = chance.int(700, 860)
  const y = chance.int(300, 420)
  const flight = line(
    smooth([
      [60, 700],
      [280, 420],
      [480, 330],
      [x - 150, y - 20],
    ]),
    ink,
    8,
    'stroke-dasharray="2 26"',
  )
  const patch = isDark ? back : ink
  const ball = `${circle(x, y, 170, paper)}<clipPath id="ball"><circle cx="${x}" cy="${y}" r="170"/></clipPath><g clip-path="url(#ball)">${polygon(
    Array.from({ length: 5 }, (_, n) => [x + Math.sin(n * 1.2566) * 62, y - Math.cos(n * 1.2566) * 62] as const),
    patch,
  )}${times(5, (n) =>
    turn(
      `${line(`M${x} ${y - 62}v-60`, patch, 8)}${polygon(
        [
          [x - 50, y - 128],
          [x + 50, y - 128],
          [x + 34, y - 190],
          [x - 34, y - 190],
        ],
        patch,
      )}`,
      n * 72,
      x,
      y,
    ),
  )}</g>`
  return `${rect(0, 610, WIDTH, 190, d)}${line('M0 610H1200', paper, 8)}${half(600, 800, 210, c)}${circle(x, y, 260, b)}${flight}${turn(ball, variant * 17, x, y)}${circle(140, 160, 60, a)}`
}

/** Stones on stones, rings on water. */
export const calm: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  if (variant % 2 === 0) {
    const x = chance.int(480, 720)
    const stones = [
      [230, 72, d],
      [178, 60, a],
      [132, 52, c],
      [92, 44, b],
      [52, 34, ink],
    ] as const
    let y = 640
    const pile = stones
      .map(([w, h, fill], n) => {
        y -= h
        const one = `<ellipse cx="${x + chance.int(-14, 14)}" cy="${y}" rx="${w}" ry="${h}" fill="${fill}"/>`
        y -= h * (n < 4 ? 0.82 : 1)
        return one
      })
      .join('')
    return `${circle(x, 350, 300, paper, 'opacity=".75"')}${rect(0, 636, WIDTH, 164, d, 'opacity=".45"')}${pile}${times(4, (n) => `<ellipse cx="${x}" cy="700" rx="${280 + n * 130}" ry="${16 + n * 13}" fill="none" stroke="${paper}" stroke-width="4" opacity=".7"/>`)}`
  }
  const x = chance.int(420, 780)
  const rings = times(
    9,
    (n) =>
      `<ellipse cx="${x}" cy="520" rx="${70 + n * 84}" ry="${24 + n * 30}" fill="none" stroke="${n % 2 ? a : c}" stroke-width="${9 - n * 0.6}" opacity="${(1 - n * 0.085).toFixed(2)}"/>`,
  )
  return `${circle(x, 250, 150, b)}${rect(0, 400, WIDTH, 400, d)}${half(x, 400, 150, b, 180)}${times(7, (n) => rect(x - 160 + n * 7, 424 + n * 44, 320 - n * 14, 15, d))}${rings}${line(`M${x + 330} 400c-10-120 20-190 60-260M${x + 350} 400c0-90 40-130 90-170M${x + 316} 400c-20-70-50-110-90-140`, ink, 9)}<ellipse cx="${x + 393}" cy="124" rx="13" ry="40" fill="${ink}" transform="rotate(20 ${x + 393} 124)"/>${circle(x - 240, 640, 10, paper)}`
}

/** Firs in the snow. */
export const winter: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  const fir = (x: number, y: number, s: number, fill: string) =>
    `${rect(x - 9 * s, y - 20, 18 * s, 60 * s, a)}${times(4, (n) =>
      polygon(
        [
          [x, y - (330 - n * 60) * s],
          [x + (56 + n * 30) * s, y - (200 - n * 66) * s],
          [x - (56 + n * 30) * s, y - (200 - n * 66) * s],
        ],
        fill,
      ),
    )}`
  const star = (x: number, y: number, r: number) =>
    polygon(
      Array.from(
        { length: 16 },
        (_, n) =>
          [
            x + Math.sin((n / 16) * 6.283) * (n % 2 ? r * 0.42 : r),
            y - Math.cos((n / 16) * 6.283) * (n % 2 ? r * 0.42 : r),
          ] as const,
      ),
      b,
    )
  const x = chance.int(480, 720)
  const snow = times(70, () =>
    circle(chance.int(0, WIDTH), chance.int(0, 700), chance.int(2, 7), paper, 'opacity=".85"'),
  )
  const lights = times(9, (n) =>
    circle(x + ((n % 3) - 1) * 52 + (n > 5 ? (n % 2) * 40 - 20 : 0), 330 + Math.floor(n / 3) * 92, 13, n % 2 ? a : b),
  )
  return `${hill(chance, 560, 50, d)}${times(5, (n) => fir(70 + n * 265 + chance.int(-30, 30), 610, 0.62, variant % 2 ? c : d))}${hill(chance, 640, 30, paper)}${fir(x, 680, 1.5, variant % 2 ? ink : c)}${star(x, 176, 56)}${lights}${hill(chance, 720, 20, paper)}${snow}`
}

/** Bunting and fireworks. */
export const festival: Draw = (chance, { ink, paper, tones }, variant) => {
  const [a, b, c, d] = tones
  const burst = (x: number, y: number, r: number, tone: string, other: string) =>
    times(18, (n) =>
      turn(`${line(`M${x} ${y - r * 0.35}V${y - r * 0.8}`, tone, 7)}${circle(x, y - r, 9, other)}`, n * 20, x, y),
    ) + circle(x, y, r * 0.14, other)
  const garland = (y: number, sag: number) => {
    const at = (t: number) => [t * WIDTH, y + Math.sin(t * Math.PI * 2) * sag] as const
    return (
      line(smooth(Array.from({ length: 13 }, (_, n) => at(n / 12))), ink, 5) +
      times(16, (n) => {
        const [x, top] = at((n + 0.5) / 16)
        return polygon(
          [
            [x - 30, top],
            [x + 30, top],
            [x, top + 74],
          ],
          [a, b, c, d][(n + variant) % 4] ?? a,
        )
      })
    )
  }
  return `${burst(chance.int(240, 380), 420, 190, a, b)}${burst(chance.int(760, 900), 360, 240, d, a)}${burst(chance.int(540, 620), 590, 130, c, b)}${garland(90, 26)}${times(14, (n) => half(n * 90 + 20, 810, 46 + ((n * 29 + variant * 11) % 34), ink))}${circle(chance.int(1010, 1100), 640, 12, paper)}`
}
