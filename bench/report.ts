import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_WORKS } from './first.ts'
import { type Measured, WARM_UP } from './measure.ts'
import { plot } from './plot.ts'
import type { Growth, Measurements } from './record.ts'
import { count, type Results } from './suite.ts'
import { WORKS, type Work } from './works.ts'

const DOCS = join(import.meta.dirname, '../docs')
const [FROM, TO] = ['<!-- measured: written by npm run bench -->', '<!-- /measured -->']

/** PostgreSQL, a process of its own, has half of each target to reach. */
export const POSTGRES_PART = 0.5
/** What every work at a million events must keep of the same at a thousand. */
const GROWTH = 0.7
/** In megabytes and milliseconds. */
const MEMORY = 300
const READY = 500

/** Writes the measured part of docs/performance.md, and its plot; the text around it stays. */
export function writeReport(measurements: Measurements): void {
  const file = join(DOCS, 'performance.md')
  const text = readFileSync(file, 'utf8')
  const [from, to] = [text.indexOf(FROM), text.indexOf(TO)]
  if (from < 0 || to < from) throw new Error(`docs/performance.md must have a place between ${FROM} and ${TO}`)
  writeFileSync(file, `${text.slice(0, from + FROM.length)}\n${measured(measurements)}\n${text.slice(to)}`)
  writeFileSync(join(DOCS, 'performance.svg'), plot(measurements))
}

function measured({ sqlite, postgres, growth }: Measurements): string {
  return [
    '![The ratios, with what is aimed at](performance.svg)',
    ratios(sqlite, postgres),
    sqlite && rates('SQLite', sqlite),
    postgres && rates('PostgreSQL', postgres),
    growth && grown(growth),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

type Ratios = Readonly<Record<string, { readonly ratio: number }>>

/** A ratio with what it means: the aim is reached, or what is asked for at least, or neither. */
function judged(
  { name, atLeast, aim }: Pick<Work, 'name' | 'atLeast' | 'aim'>,
  ratios: Ratios | undefined,
  part: number,
): string {
  const ratio = ratios?.[name]?.ratio
  if (ratio === undefined) return ''
  const mark = ratio >= (aim ?? Infinity) * part ? '✓✓' : ratio >= atLeast * part ? '✓' : '✗'
  return `${ratio.toFixed(2)} ${mark}`
}

function ratios(sqlite: Results | undefined, postgres: Results | undefined): string {
  const asked = ({ atLeast, aim }: Pick<Work, 'atLeast' | 'aim'>) =>
    `${atLeast.toFixed(2)}${aim === null ? '' : ` / ${aim.toFixed(2)}`}`
  const names = [...new Set([...FIRST_WORKS, ...WORKS].map(({ name }) => name))]
  const rows = names.map((name) => {
    const again = WORKS.find((work) => work.name === name)
    const first = FIRST_WORKS.find((work) => work.name === name)
    const cells = (work: Pick<Work, 'name' | 'atLeast' | 'aim'> | undefined, of: 'works' | 'firsts') =>
      work === undefined
        ? ['', '', '']
        : [asked(work), judged(work, sqlite?.[of], 1), judged(work, postgres?.[of], POSTGRES_PART)]
    const against = again === undefined || again.against === 'the ceiling' ? '' : `, against ${again.against}`
    return [`${again?.title ?? first?.title}${against}`, ...cells(first, 'firsts'), ...cells(again, 'works')]
  })
  const legend =
    'Ratios: by processor time the first time, by rate again. ✓ is at least what is asked for, ✓✓ what is aimed at, ✗ neither; PostgreSQL has half of each to reach.'
  const head = ['first: at least / aim', 'SQLite', 'PostgreSQL', 'again: at least / aim', 'SQLite', 'PostgreSQL']
  return `${legend}\n\n${table(['work', ...head], rows)}`
}

function rates(title: string, results: Results): string {
  const { date, events, cores, node, load, works, firsts, ready, memory } = results
  const rows = WORKS.flatMap(({ name, title: work, against }) => {
    const measured = works[name]
    if (measured === undefined) return []
    const { rate, base, byCpu, p50, p99, different, failed } = measured
    const note = failed > 0 ? ` (${count(failed)} failed)` : ''
    const beside = against === 'the ceiling' ? '' : ` (${against})`
    const cost = byCpu?.toFixed(2) ?? ''
    const once = firsts?.[name]
    const cell = once === undefined ? '' : `${once.cost.toFixed(2)} ms of ${once.base.toFixed(2)}`
    return [[work + note, count(rate), count(base) + beside, cost, time(p50), time(p99), count(different), cell]]
  })
  return `### ${title}
${date}: ${count(events)} events, 32 connections by ${load}, Node ${node}, ${cores} cores that service, load and database share. Every address had been asked for
once, and each side was warmed up for ${WARM_UP} s; the last column says what processor time the first time took, and what the ceiling took. The service was ready ${Math.round(ready)} ms after its start (at most ${READY} are allowed) and held ${Math.round(memory)} MB at most (${MEMORY} are allowed).

${table(['work', 'answers a second', 'compared with', 'by processor time', 'p50', 'p99', 'different requests', 'processor time, the first time'], rows)}`
}

function time(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
}

/** The table of growth; also shown on the terminal. */
export function growthTable({ few, many }: Growth): string {
  const rows = WORKS.flatMap(({ name, title }) => {
    const [small, large] = [few.works[name], many.works[name]]
    if (small === undefined || large === undefined) return []
    const quotient = large.ratio / small.ratio
    const both = (value: (measured: Measured) => number) =>
      [small, large].map((measured) => count(value(measured))).join(' and ')
    const first = [few, many].map(({ firsts }) => firsts?.[name]?.ratio.toFixed(3) ?? '–').join(' and ')
    return [
      [
        title,
        small.ratio.toFixed(3),
        large.ratio.toFixed(3),
        `${quotient.toFixed(2)} ${quotient >= GROWTH ? '✓' : '✗'}`,
        both(({ different }) => different),
        first === '– and –' ? '' : first,
      ],
    ]
  })
  const head = [
    'work',
    count(few.events),
    count(many.events),
    'quotient',
    'different requests',
    'the first time, by processor time',
  ]
  return table(head, rows)
}

function grown(growth: Growth): string {
  const { few, many } = growth
  return `### Growth
${many.date}: the ratios at ${count(few.events)} and at ${count(many.events)} events, and the second divided by the first, which is to be ${GROWTH} at least (✓). Every address had
been asked for once, so there is far more to remember of many events. With ${count(many.events)} of them the service was ready after ${Math.round(many.ready)} ms and held ${Math.round(many.memory)} MB at most.

${growthTable(growth)}`
}
