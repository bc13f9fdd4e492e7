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

await import('./resolve.js')

// A checkout has the sources, which run as they are; a published package has what `npm run build` made of them.
const source = new URL('../src/main.ts', import.meta.url)
import(existsSync(source) ? source.href : new URL('../dist/main.js', import.meta.url).href)
