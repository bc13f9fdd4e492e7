import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { basic, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

const run = promisify(execFile)

/** The generators have their own packages: some need an earlier TypeScript, and none is needed for anything else. */
describe('clients generated from the OpenAPI document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-generators-'))
  let service: Service
  before(async () => {
    service = await startService({ settings: { baseUrl: 'http://127.0.0.1' } })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const node = (script: string, ...more: string[]) =>
    run(process.execPath, [join('node_modules', script), ...more], { cwd: folder, maxBuffer: 1e8 })

  it('compile and create an event', { timeout: 600_000 }, async (t) => {
    cpSync(join(ROOT, 'test/fixtures/generators'), folder, { recursive: true })
    // Our own compiler must not look for what is generated.
    for (const name of ['use.ts', 'process.d.ts']) renameSync(join(folder, `${name}.txt`), join(folder, name))
    try {
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
    } catch (error) {
      return t.skip(`the packages cannot be fetched: ${String(error).slice(0, 200)}`)
    }
    writeFileSync(join(folder, 'openapi.json'), (await service.call(null, '/doc')).body)
    await node('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi-typescript.ts')
    await node(
      '@hey-api/openapi-ts/bin/index.cjs',
      '-i',
      'openapi.json',
      '-o',
      'hey-api',
      '-c',
      '@hey-api/client-fetch',
    )
    await node('orval/dist/bin/orval.js', '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch')
    const swagger = ['generate', '-p', 'openapi.json', '-o', 'swagger-typescript-api', '-n', 'api.ts']
    await node('swagger-typescript-api/dist/cli.mjs', ...swagger)
    await node('typescript/bin/tsc', '-p', '.')
    const url = `${await service.listen()}/calendar/events/v1`
    const { stdout } = await run(process.execPath, ['dist/use.js', url, basic('editor')], { cwd: folder })
    assert.deepEqual(JSON.parse(stdout), ['openapi-typescript', 'hey-api', 'orval', 'swagger-typescript-api'])
  })
})
