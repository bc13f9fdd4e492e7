import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * A recipe: a document whose steps can be applied to a copy of the project. A step is a line of this form, an empty line
 * and a block of code.
 *
 *     Create `path`:                     the block is the whole file
 *     In `path`, after `text`:           the block comes behind the first line that contains the text
 *     In `path`, before `text`:          the block comes before it
 *     In `path`, at the end of `text`:   the block comes before the bracket that closes what begins on that line
 *     Merge into `path`:                 the block is JSON, whose values are added to the file
 *     Run:                               the block is commands for a shell
 */
export interface Step {
  readonly what: 'create' | 'insert' | 'merge' | 'run'
  /** The line that asks for it. */
  readonly line: string
  readonly path: string
  readonly where: string
  readonly anchor: string
  readonly block: string
}

const STEP =
  /^((?:(Create|Merge into) `([^`]+)`|In `([^`]+)`, (after|before|at the end of) `([^`]+)`|(Run)):)\n\n```\w*\n(.*?)\n```$/gms

export function stepsOf(markdown: string): Step[] {
  return [...markdown.matchAll(STEP)].map(
    ([, line = '', make, made, path, where = '', anchor = '', run, block = '']) => ({
      what: run ? 'run' : make === 'Create' ? 'create' : make ? 'merge' : 'insert',
      line,
      path: made ?? path ?? '',
      where,
      anchor,
      block,
    }),
  )
}

/** Applies a step to the files below a folder; `run` runs commands there. */
export function apply(step: Step, folder: string, run: (commands: string) => void): void {
  const file = join(folder, step.path)
  if (step.what === 'run') run(step.block)
  else if (step.what === 'create') {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${step.block}\n`, { flag: 'wx' })
  } else if (step.what === 'merge') {
    const merged = merge(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(step.block))
    writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`)
  } else writeFileSync(file, inserted(readFileSync(file, 'utf8'), step))
}

function inserted(text: string, { line, where, anchor, block }: Step): string {
  const lines = text.split('\n')
  const at = lines.findIndex((one) => one.includes(anchor))
  if (at === -1) throw new Error(`${line} the file has no such line`)
  lines.splice(where === 'after' ? at + 1 : where === 'before' ? at : endOf(lines, at), 0, block)
  return lines.join('\n')
}

/** The line of the bracket that closes what begins on a line: the next that is indented as far, and begins with one. */
function endOf(lines: readonly string[], at: number): number {
  const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? ''
  return lines.findIndex((one, n) => n > at && new RegExp(`^${indent}[}\\])]`).test(one))
}

type Json = Record<string, unknown>

function merge(into: Json, from: Json): Json {
  const merged: Json = { ...into }
  for (const [name, value] of Object.entries(from)) {
    const known = merged[name]
    merged[name] = typeof known === 'object' && typeof value === 'object' ? merge(known as Json, value as Json) : value
  }
  return merged
}
