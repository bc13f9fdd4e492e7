import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { file } from '../support/deploy.ts'
import { ROOT } from '../support/sources.ts'

/** The most that the packages of production may take, in bytes. */
const MOST = 60_000_000

interface LockedPackage {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
}

/** The packages that `npm ci --omit=dev` installs. Optional ones are for some platforms only. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path.startsWith('node_modules/') && !dev && !devOptional)
    .filter(([path, { optional }]) => existsSync(join(ROOT, path)) || !optional)
    .map(([path]) => path)
}

/** The sum of the sizes of the files of a package, without packages that are installed inside it. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name)
      return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
    }, 0)
}

describe('the packages of production', () => {
  it('take less than 60 MB', () => {
    const sizes = productionPackages().map((path) => ({ path, size: sizeOf(join(ROOT, path)) }))
    const total = sizes.reduce((sum, { size }) => sum + size, 0)
    const largest = sizes.sort((former, latter) => latter.size - former.size).slice(0, 5)
    assert.ok(total > 10_000_000, 'the packages are installed')
    assert.ok(total < MOST, `${total} bytes: ${largest.map(({ path, size }) => `${path} ${size}`).join(', ')}`)
  })

  it('are the packages that package.json names and what these need', () => {
    const { dependencies } = JSON.parse(file('package.json')) as { dependencies: Record<string, string> }
    const installed = productionPackages()
    for (const name of Object.keys(dependencies)) assert.ok(installed.includes(`node_modules/${name}`), name)
    for (const name of ['moment', 'moment-timezone', 'typescript'])
      assert.ok(!installed.includes(`node_modules/${name}`), name)
  })

  it('are all packages of the image, at the locked versions', () => {
    const dockerfile = file('Dockerfile')
    assert.match(dockerfile, /^COPY package\.json package-lock\.json \.\/$/m)
    assert.match(dockerfile, /^RUN npm ci /m)
    assert.match(dockerfile, /^RUN .*npm prune --omit=dev /m)
    // The final stage takes the packages of the build and installs nothing itself.
    const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
    assert.match(final, /^COPY --from=build \/app\/node_modules \.\/node_modules$/m)
    assert.doesNotMatch(final, /\bnpm (?:ci|install|i|add)\b/)
  })
})
