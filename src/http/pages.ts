import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encode } from '../lib/html.ts'
import { text } from '../lib/texts.ts'
import { addEmbed } from './embed.ts'
import { NAMESPACE } from './endpoint.ts'

const WEB = new URL('../../web/', import.meta.url)
const reader = readFileSync(new URL('vendor/openapi-explorer.min.js', WEB))
const style = readFileSync(new URL('pages.css', WEB))
const icon = readFileSync(new URL('icon.svg', WEB))
const script = readFileSync(new URL('docs.js', WEB))

/** Everything a page needs comes from here; the reader of the documentation writes styles of its own. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** The start page, and the page on which people read the documentation and try requests. */
export function addPages(app: FastifyInstance): void {
  const file = (path: string, type: string, bytes: Buffer) =>
    app.get(path, { logLevel: 'warn' }, async (_, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').send(bytes),
    )
  file('/assets/openapi-explorer.js', 'text/javascript; charset=utf-8', reader)
  file('/assets/docs.js', 'text/javascript; charset=utf-8', script)
  file('/assets/icon.svg', 'image/svg+xml', icon)
  file('/assets/pages.css', 'text/css; charset=utf-8', style)
  addEmbed(app)
  app.get('/', (request, reply) => sendPage(request, reply, startPage(request)))
  app.get('/docs', (request, reply) => sendPage(request, reply, docsPage(request)))
}

function sendPage({ language }: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const html = `<!doctype html>
<html lang="${language.name}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${said(language.name, 'title')}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/pages.css">
</head>
${body}
</html>
`
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': POLICY, vary: 'Accept-Language' })
    .send(html)
}

function startPage({ language }: FastifyRequest): string {
  const { name } = language
  return `<body class="start">
<main>
<h1>${said(name, 'start')}</h1>
<p>${said(name, 'tagline')}</p>
<nav>
<a class="first" href="${prefix(language)}/docs">${said(name, 'read')}</a>
<a href="${prefix(language)}/${NAMESPACE}/">${said(name, 'index')}</a>
<a href="${prefix(language)}/${NAMESPACE}/doc">${said(name, 'document')}</a>
</nav>
</main>
</body>`
}

function docsPage({ language }: FastifyRequest): string {
  return `<body class="docs">
<openapi-explorer spec-url="${prefix(language)}/${NAMESPACE}/doc" show-authentication="true" hide-server-selection="true" use-path-in-nav-bar="false" collapse="true" schema-expand-level="2">
</openapi-explorer>
<script src="/assets/openapi-explorer.js" type="module"></script>
<script src="/assets/docs.js" type="module"></script>
</body>`
}

const said = (language: string, key: string) => encode(text(language, `documentation.page.${key}`))
const prefix = ({ name, byAddress }: FastifyRequest['language']) => (byAddress ? `/${name}` : '')
