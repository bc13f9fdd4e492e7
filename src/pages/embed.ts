import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { once } from '../lib/later.ts'

const FOLDER = new URL('../../web/embed/', import.meta.url)
/** The modules of the widget, each after those that it imports. */
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

/** Hands the widget out to the pages of every site. */
export function addEmbed(app: FastifyInstance): void {
  const made = once(() => {
    const script = embedScript()
    return { script, etag: `"${createHash('sha256').update(script).digest('base64url').slice(0, 22)}"` }
  })
  app.get('/embed.js', { logLevel: 'warn' }, async (request, reply) => {
    const { script, etag } = made()
    reply.headers({
      'cache-control': 'public, max-age=600',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      etag,
    })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}
