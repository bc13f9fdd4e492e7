import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { finished, startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { eventually } from '../support/workers.ts'

/** What the sources are built and packed from. */
const SOURCES = ['bin', 'src', 'web', 'i18n', 'packages', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
const DOCUMENTS = ['README.md', 'LICENSE', 'CHANGELOG.md']
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

function run(folder: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** All packages that those of production need, found in the packages of this checkout. */
function neededPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries(packages as Record<string, { dev?: boolean; devOptional?: boolean }>)
    .filter(([path, { dev, devOptional }]) => path.startsWith('node_modules/') && !dev && !devOptional)
    .map(([path]) => path)
}

describe('the package', () => {
  const noNpm = spawnSync('npm', ['--version']).status !== 0 && 'needs npm'

  it('is packed, installed and started without sources and packages of development', { skip: noNpm }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-package-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const checkout = join(folder, 'checkout')
    mkdirSync(checkout)
    for (const name of [...SOURCES, ...DOCUMENTS]) cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
    run(checkout, process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json')
    const [packed] = JSON.parse(
      run(checkout, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
    )
    const files = (packed.files as { path: string }[]).map(({ path }) => path)
    for (const name of ['bin/kalends.js', 'dist/main.js', 'web/pages.css', 'i18n/en.json', 'README.md', 'LICENSE'])
      assert.ok(files.includes(name), name)
    assert.deepEqual(
      files.filter((name) => /^(src|test|node_modules)\//.test(name)),
      [],
    )
    // As `npm install` lays it out; the packages come from this checkout, as tests use no network.
    const installed = join(folder, 'node_modules/kalends')
    mkdirSync(installed, { recursive: true })
    run(folder, 'tar', 'xzf', packed.filename, '--strip-components=1', '-C', installed)
    for (const path of neededPackages()) {
      try {
        cpSync(join(ROOT, path), join(folder, path), { recursive: true, dereference: true })
      } catch (error) {
        // Packages for other systems are not installed.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    const command = join(installed, 'bin/kalends.js')
    const version = await finished(startProcess(process.execPath, [command, '--version'], { cwd: folder }))
    assert.deepEqual([version.code, version.out], [0, `${manifest.version}\n`], version.err)
    const data = join(folder, 'data')
    const flags = ['serve', '--port', '0', '--host', '127.0.0.1', '--data', data]
    const child = startProcess(process.execPath, [command, ...flags], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', KALENDS_STOP_DELAY: '0' },
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (out += text))
    const closed = new Promise((resolve) => child.on('close', resolve))
    await eventually(() => /listening at http:\/\/[\d.:]+/.test(out) || child.exitCode !== null)
    const url = /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1]
    assert.ok(url !== undefined, out)
    for (const path of ['/readyz', '/', '/events/month/', '/calendar/events/v1/events', '/manage'])
      assert.equal((await fetch(url + path)).status, 200, path)
    child.kill('SIGTERM')
    assert.equal(await closed, 0, out)
    const backup = await finished(
      startProcess(process.execPath, [command, 'backup', join(folder, 'b.tar'), '--data', data], { cwd: folder }),
    )
    assert.equal(backup.code, 0, backup.err)
  })
})
