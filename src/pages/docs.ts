import { type Call, NAMESPACE, type View } from '../http/endpoint.ts'
import { html } from '../lib/markup.ts'
import { assetPath, basePath } from './assets.ts'
import { contextOf } from './context.ts'

/** Content security policy of the documentation page: it adds inline styles and sends requests to the service. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Page to read the REST documentation and try requests. */
export const docsViews: readonly View[] = [
  {
    path: '/docs',
    methods: ['GET'],
    async handle(call: Call) {
      const { assets, link, language, t } = contextOf(call)
      const body = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${t('documentation')}</title>
<link rel="icon" href="${assetPath(assets, 'icon.svg')}">
<link rel="stylesheet" href="${assetPath(assets, 'docs.css')}">
</head>
<body>
<openapi-explorer spec-url="${link(`/${NAMESPACE}/doc`)}" show-authentication="true" hide-server-selection="true" use-path-in-nav-bar="false" collapse="true" schema-expand-level="2">
</openapi-explorer>
<script src="${basePath(call.addresses.home)}/assets/openapi-explorer.js" type="module"></script>
<script src="${assetPath(assets, 'docs.js')}" type="module"></script>
</body>
</html>
`
      return {
        headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
        body: body.text,
      }
    },
  },
]
