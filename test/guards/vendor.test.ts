import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { FILE, generate } from '../../scripts/generate-abbreviations.ts'
import { CITIES_FILE, generateCities, generateLand, IS_INSTALLED, LAND_FILE } from '../../scripts/generate-map.ts'
import { ROOT } from '../support/sources.ts'

describe('files of others that we serve', () => {
  it('are those of the locked version', () => {
    const copies = {
      'squire.js': 'squire-rte/dist/squire.mjs',
    }
    for (const [copy, path] of Object.entries(copies)) {
      const installed = readFileSync(join(ROOT, 'node_modules', path))
      assert.ok(installed.equals(readFileSync(join(ROOT, 'web/vendor', copy))), `copy ${path} to web/vendor/${copy}`)
    }
  })
})

describe('the abbreviations of time zones', () => {
  it('are those of the locked version of moment-timezone', () => {
    assert.equal(readFileSync(FILE, 'utf8'), generate(), 'run "npm run generate"')
  })
})

describe('the base map', () => {
  const skip = IS_INSTALLED ? false : 'world-atlas is not installed: run "npm ci"'

  it('is that of the locked versions of its sources', { skip }, () => {
    assert.ok(readFileSync(LAND_FILE, 'utf8') === generateLand(), 'run "npm run generate"')
    assert.ok(readFileSync(CITIES_FILE, 'utf8') === generateCities(), 'run "npm run generate"')
  })
})
