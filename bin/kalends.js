#!/usr/bin/env -S node --max-semi-space-size=16
// Plain, old JavaScript: it must still run where nothing else here does, to say why.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 26

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  console.error(
    `kalends: needs Node ${NEEDED} or later, and this is ${process.version}; in a checkout use "npm start" after "npm ci"`,
  )
  process.exit(1)
}

// Beside the code itself, so that nobody puts anything there who could not change the code as well.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/kalends', import.meta.url)))

const root = new URL('..', import.meta.url).href

// Of our files and those of a package with hundreds of small ones, a relative import names the file itself: there is
// nothing to search for, and most of what Node does to load a module is searching.
module.registerHooks({
  resolve(specifier, context, next) {
    const format = specifier[0] === '.' ? formatOf(specifier, context.parentURL) : undefined
    if (format === undefined) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format, shortCircuit: true }
  },
})

/** What a file is that one of these modules names; undefined of those we know nothing about. */
function formatOf(specifier, parent) {
  if (/\/node_modules\/kysely\//.test(parent)) return 'module'
  if (parent.startsWith(`${root}src/`) && specifier.endsWith('.ts')) return 'module-typescript'
  if (parent.startsWith(`${root}dist/`) && specifier.endsWith('.js')) return 'module'
}

// A checkout has the sources, which run as they are; a published package has what `npm run build` made of them.
const source = new URL('../src/main.ts', import.meta.url)
import(existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href)
