import { execFileSync, execSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { apply, type Step, stepsOf } from './recipe.ts'

/**
 * Applies the recipes of documents to a copy of the project, and checks it: types, formatting, and the tests that follow
 * every field and resource. Without arguments it takes both documents, into one copy.
 *
 *     node scripts/try-recipes.ts [--without N] [document …]
 *
 * `--without N` leaves step N out, to see who names it.
 */

const ROOT = join(import.meta.dirname, '..')
export const DOCUMENTS = ['docs/adding-a-field.md', 'docs/adding-a-resource.md']

/** The tests that follow every field and every resource. */
const TESTS = [
  'guards/columns',
  'guards/endpoints',
  'guards/fields',
  'guards/imports',
  'guards/template-form',
  'guards/texts',
  'client/client',
]

export interface Trial {
  readonly documents?: readonly string[]
  /** The number of a step to leave out, counted from 1. */
  readonly without?: number
  /** Words in the paths of further tests. */
  readonly tests?: readonly string[]
}

/** Fails with the output of the first check that fails. */
export function tryRecipes({ documents = DOCUMENTS, without, tests = [] }: Trial = {}): void {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-recipe-'))
  try {
    copyProject(folder)
    const steps = documents.flatMap((document) => stepsOf(readFileSync(join(ROOT, document), 'utf8')))
    const chosen = steps.filter((_, n) => n + 1 !== without)
    for (const step of chosen) apply(step, folder, (commands) => run(folder, commands))
    run(folder, 'tsc')
    run(folder, `biome check ${touched(chosen).join(' ')}`)
    const own = chosen.filter(({ path }) => path.startsWith('test/')).map(({ path }) => path)
    run(folder, `node scripts/test.ts --sqlite storage/schema ${[...TESTS, ...tests, ...own].join(' ')}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All files that git knows of, or would add. */
function copyProject(folder: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const file of String(files).split('\0').filter(Boolean))
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

function touched(steps: readonly Step[]): string[] {
  return [
    ...new Set(steps.filter(({ what, path }) => what !== 'run' && /\.(ts|json)$/.test(path)).map(({ path }) => path)),
  ]
}

/** Runs commands with the tools of the project, and this version of Node. */
function run(cwd: string, commands: string): void {
  const path = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  try {
    execSync(commands, { cwd, env: { ...env, PATH: path }, stdio: 'pipe' })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: Buffer; stderr?: Buffer }
    throw new Error(`${commands}\n${stdout}${stderr}`)
  }
}

if (import.meta.main) {
  const at = process.argv.indexOf('--without')
  const documents = process.argv.slice(2).filter((argument) => argument.endsWith('.md'))
  try {
    tryRecipes({
      ...(documents.length > 0 && { documents }),
      ...(at > 0 && { without: Number(process.argv[at + 1]) }),
      tests: ['conformance'],
    })
    process.stdout.write('The recipes work.\n')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
