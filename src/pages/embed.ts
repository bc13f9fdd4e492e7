import { readFileSync } from 'node:fs'
import type { Site } from '../domain/scope.ts'
import type { FileRoute } from '../http/endpoint.ts'
import { etagOf } from '../http/files.ts'
import { regional, settingsOf } from './locale.ts'

const FOLDER = new URL('../../web/embed/', import.meta.url)
/** Modules of the widget, in order of their imports. */
const PARTS = ['texts', 'days', 'colours', 'elements', 'service', 'items', 'list', 'month', 'calendar']
const STYLE = "'/* style.css */'"
const ENGLISH = "'/* english */'"
const SETTINGS = "'/* settings */'"

/**
 * The widget in one file, which runs wherever a script runs: its modules one after the other, with its stylesheet and the
 * settings of the site where they name them. What is taken out stands on lines of its own: imports, comments, indentation.
 */
export function embedScript({ timezone, ...site }: Pick<Site, 'timezone' | 'clock' | 'weekStart'>): string {
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
    .replace(ENGLISH, () => JSON.stringify(regional('en', timezone)))
    .replace(SETTINGS, () => JSON.stringify(settingsOf(site)))
  return `// The calendar of this service, for any website: see its documentation.\n;(() => {\n'use strict'${script}})()\n`
}

const known = new WeakMap<Site, { bytes: Buffer; etag: string }>()

function widget(site: Site): { bytes: Buffer; etag: string } {
  const found = known.get(site)
  if (found !== undefined) return found
  const bytes = Buffer.from(embedScript(site))
  const made = { bytes, etag: etagOf(bytes) }
  known.set(site, made)
  return made
}

/** Route of the widget, usable from any site. */
export const embedFile: FileRoute = {
  path: '/embed.js',
  async find(site) {
    const { bytes, etag } = widget(site)
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
      isCurrent: true,
    }
  },
}
