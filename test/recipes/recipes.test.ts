import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { stepsOf } from '../../scripts/recipe.ts'
import { DOCUMENTS, tryRecipes } from '../../scripts/try-recipes.ts'

describe('the recipes for a field and for a resource', () => {
  for (const document of DOCUMENTS) {
    it(`has only steps that can be applied in ${document}`, () => {
      const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
      assert.equal(stepsOf(text).length, text.match(/^```\w+$/gm)?.length)
    })
  }

  it('make a project that compiles and passes its tests', () => tryRecipes({ tests: ['conformance'] }))
})
