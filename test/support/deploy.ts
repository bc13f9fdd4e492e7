import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from './sources.ts'

export interface Compose {
  readonly services: Record<string, Container>
  readonly volumes: Record<string, unknown>
}

export interface Container {
  readonly build?: string
  readonly image?: string
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly volumes?: string[]
  readonly depends_on?: Record<string, { condition: string }>
  readonly healthcheck?: { test: string[] }
}

export interface Instruction {
  readonly name: string
  readonly rest: string
}

/** A file of the project, as text. */
export const file = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

export function readCompose(): Compose {
  return parse(file('compose.yaml'), { merge: true })
}

/** The instructions of the Dockerfile: all of them, and those of the image that is kept. */
export function readDockerfile(): { instructions: Instruction[]; final: Instruction[] } {
  const instructions = file('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  return { instructions, final: instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM')) }
}

/** What instructions of a name say. */
export function valuesOf(wanted: string, instructions: readonly Instruction[]): string[] {
  return instructions.filter(({ name }) => name === wanted).map(({ rest }) => rest.trim())
}

/** The variables that the image sets. */
export function imageEnvironment(): Record<string, string> {
  const words = valuesOf('ENV', readDockerfile().final).flatMap((rest) => rest.split(/\s+/))
  return Object.fromEntries(words.map((word) => word.split('=', 2)))
}

/** Variables as they are where the environment sets none: `${NAME:-default}`. */
export function withDefaults(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  )
}
