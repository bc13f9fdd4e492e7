import assert from 'node:assert/strict'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { sources } from '../support/sources.ts'

/** Imports and exports that load what they name: not of types alone, and not on demand. */
const LOADING = /^(?:import|export) (?!type )(?:[^;'"]*? from )?'([^']+)'/gms

/** Files and packages that `kalends serve` loads before its first response. */
function loadedAtStart(): Set<string> {
  const byFile = new Map(sources().map((source) => [source.file, source]))
  const loaded = new Set(['main.ts', 'cli/serve.ts'])
  for (const file of loaded) {
    for (const [, named = ''] of byFile.get(file)?.text.matchAll(LOADING) ?? [])
      if (!named.startsWith('node:')) loaded.add(named.startsWith('.') ? normalize(join(dirname(file), named)) : named)
  }
  return loaded
}

describe('a start of the service', () => {
  const loaded = [...loadedAtStart()]

  it('loads no package that the first response does not need', () => {
    const packages = loaded.filter((file) => !/\.(ts|json)$/.test(file))
    assert.deepEqual(packages.sort(), ['@fastify/proxy-addr', 'commander', 'fastify', 'find-my-way', 'kysely', 'pino'])
  })

  it('loads no migration, no reader of files, no page, and nothing of the other database', () => {
    const late =
      /^(storage\/migrations\/\d|storage\/postgres\/pool\.ts|imports\/(calendar|table|site)\/|(feeds|manage|pages)\/views\.ts)/
    assert.deepEqual(
      loaded.filter((file) => late.test(file)),
      [],
    )
  })
})
