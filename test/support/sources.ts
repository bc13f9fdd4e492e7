import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export interface Source {
  /** Below src/. */
  readonly file: string
  readonly text: string
  /** The files below src/ that it imports. */
  readonly imports: readonly string[]
}

/** Every source file, with what it imports of the others. */
export function sources(): Source[] {
  return globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((file) => {
    const text = readFileSync(join(ROOT, 'src', file), 'utf8')
    const imports = [...text.matchAll(/\b(?:from |import\()'(\.[^']+)'/g)].map(([, path = '']) =>
      normalize(join(dirname(file), path)),
    )
    return { file, text, imports }
  })
}
