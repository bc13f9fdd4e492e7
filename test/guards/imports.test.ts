import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT, sources } from '../support/sources.ts'

/** What each room may import, besides itself. A file that lies in no room is a room of its own. */
const ARROWS: Record<string, string[]> = {
  lib: [],
  calendar: ['lib'],
  schema: ['calendar', 'lib'],
  storage: ['schema', 'calendar', 'lib'],
  domain: ['storage', 'schema', 'calendar', 'lib'],
  imports: ['domain', 'storage', 'schema', 'calendar', 'lib'],
  http: ['domain', 'schema', 'calendar', 'lib'],
  rest: ['http', 'imports', 'domain', 'schema', 'calendar', 'lib'],
  feeds: ['rest', 'http', 'domain', 'schema', 'calendar', 'lib'],
  pages: ['feeds', 'rest', 'http', 'domain', 'schema', 'calendar', 'lib'],
  manage: ['pages', 'feeds', 'rest', 'http', 'imports', 'domain', 'schema', 'calendar', 'lib'],
  config: ['calendar', 'lib'],
  'config.ts': ['config'],
  'site.ts': ['config.ts', 'config', 'rest', 'domain', 'schema'],
  'log.ts': ['config.ts', 'lib'],
  'store.ts': ['config.ts', 'domain', 'storage', 'lib'],
  'app.ts': [
    'config.ts',
    'site.ts',
    'log.ts',
    'store.ts',
    'manage',
    'pages',
    'feeds',
    'rest',
    'http',
    'imports',
    'domain',
    'storage',
    'lib',
  ],
  cli: ['app.ts', 'log.ts', 'store.ts', 'config.ts', 'imports', 'domain', 'calendar', 'lib'],
  'main.ts': ['cli', 'config.ts', 'domain'],
}

const room = (file: string) => file.split('/')[0] ?? file

describe('imports', () => {
  const all = sources()

  it('run only along the arrows of the design', () => {
    const wrong = all.flatMap(({ file, imports }) =>
      imports
        .filter((target) => room(target) !== room(file) && !ARROWS[room(file)]?.includes(room(target)))
        .map((target) => `${file} -> ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('have no circle', () => {
    const graph = new Map(all.map(({ file, imports }) => [file, imports]))
    const done = new Set<string>()
    const visit = (file: string, path: string[]): void => {
      assert.ok(!path.includes(file), `${[...path, file].join(' -> ')} is a circle`)
      if (done.has(file)) return
      for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of graph.keys()) visit(file, [])
  })

  it('find every file they name', () => {
    assert.deepEqual(
      all.flatMap(({ imports }) => imports).filter((target) => !existsSync(join(ROOT, 'src', target))),
      [],
    )
  })

  it('of the worker thread of SQLite load no package: it starts with every database, and Kysely takes it ten times as long', () => {
    const byFile = new Map(all.map((source) => [source.file, source]))
    const loaded = new Set(['storage/sqlite/worker.ts'])
    for (const file of loaded) for (const next of byFile.get(file)?.imports ?? []) loaded.add(next)
    const packages = [...loaded].flatMap((file) =>
      [...(byFile.get(file)?.text ?? '').matchAll(/^import (?!type ).* from '(?!\.|node:)([^']+)'/gm)].map(
        ([, named]) => `${file} -> ${named}`,
      ),
    )
    assert.deepEqual(packages, [])
  })

  it('of migrations name nothing that can change: only Kysely and files of their own folder', () => {
    const wrong = all
      .filter(({ file }) => file.startsWith('storage/migrations/'))
      .flatMap(({ file, text }) =>
        [...text.matchAll(/(?:\bfrom |\bimport\(?\s*|\brequire\()'([^']+)'/g)]
          .map(([, named = '']) => named)
          .filter((named) => named !== 'kysely' && !/^\.\/[\w-]+\.ts$/.test(named))
          .map((named) => `${file} -> ${named}`),
      )
    assert.deepEqual(wrong, [])
  })

  it('keep SQL in storage and HTTP in http', () => {
    const importing = (name: RegExp) => all.filter(({ text }) => name.test(text)).map(({ file }) => room(file))
    assert.deepEqual([...new Set(importing(/from '(kysely|node:sqlite)/))], ['storage'])
    assert.deepEqual([...new Set(importing(/from '(fastify|@fastify\/)/))], ['http'])
  })
})
