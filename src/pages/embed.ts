import { readFileSync } from 'node:fs'
import type { FileRoute } from '../http/endpoint.ts'
import { etagOf } from '../http/files.ts'
import { once } from '../lib/lazy.ts'

const FOLDER = new URL('../../web/embed/', import.meta.url)
/** Modules of the widget, in order of their imports. */
const PARTS = ['texts', 'days', 'elements', 'service', 'items', 'list', 'month', 'calendar']
const STYLE = "'/* style.css */'"

/**
 * The widget in one file, which runs wherever a script runs: its modules one after the other, with its stylesheet where
 * they name it. What is taken out stands on lines of its own: imports, comments, indentation.
 */
export function embedScript(): string {
  const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
  const style = read('style.css')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
  const modules = PARTS.map((name) => read(`${name}.js`)).join('\n')
  const script = modules
    .replace(/^\s*\/\*\*(?:(?!\*\/).)*\*\/$/gms, '')
    .replace(/^import .*$/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\n\s*/g, '\n')
    .replace(STYLE, () => JSON.stringify(style.trim()))
  return `// The calendar of this service, for any website: see its documentation.\n;(() => {\n'use strict'${script}})()\n`
}

const widget = once(() => {
  const bytes = Buffer.from(embedScript())
  return { bytes, etag: etagOf(bytes) }
})

/** Route of the widget, usable from any site. */
export const embedFile: FileRoute = {
  path: '/embed.js',
  async find() {
    const { bytes, etag } = widget()
    return {
      type: 'text/javascript; charset=utf-8',
      headers: {
        'cache-control': 'public, max-age=600',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        etag,
      },
      bytes,
      packed: null,
    }
  },
}
