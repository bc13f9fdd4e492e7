import type { Answer, Call, View } from '../http/endpoint.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { text } from '../lib/texts.ts'
import { runInSlices } from '../lib/time-slices.ts'
import { endpoints } from '../rest/endpoints.ts'
import { describing } from '../rest/openapi.ts'
import { type Context, contextOf } from './context.ts'
import { type ApiDocument, type ApiOperation, operationOf, operationsOf } from './docs-operation.ts'
import { icon } from './icons.ts'
import { answer, PUBLIC } from './layout.ts'

/** Page to read the REST documentation and try requests, rendered from the OpenAPI document. */

async function docs(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const { addresses, language, scope } = call
  const described = await runInSlices(describing(endpoints, addresses, scope.site, language))
  const document = described as unknown as ApiDocument
  // Records first, then what is about the interface itself.
  const tags = [...document.tags].sort((one, other) => Number(isAbout(one.name)) - Number(isAbout(other.name)))
  const groups = Map.groupBy(operationsOf(document), ({ group }) => group)
  const main = html`<div class="wide docs">
<p class="eyebrow"><a href="${context.link('/')}">${icon('back')}${scope.site.name}</a></p>
<h1>${context.t('documentation')}</h1>
<p class="lead">${document.info.description}</p>
<p><code>${addresses.rest}</code> · <a href="${addresses.rest}/doc">OpenAPI (JSON)</a> · <a href="${addresses.rest}/doc?format=yaml">YAML</a></p>
${credentials(context)}
<div class="docs-body">${contents(context, tags)}
<div>${tags.map(({ name, description }) => groupOf(context, name, description, groups.get(name) ?? []))}</div></div>
${confirmation(context)}</div>`
  const frame = { ...PUBLIC, styles: ['docs.css'], scripts: ['pages.js', 'docs.js'] }
  return answer(context, { title: context.t('documentation'), path: '/docs', main }, frame)
}

function isAbout(group: string): boolean {
  return group === 'namespace' || group === 'documentation'
}

function contents({ t }: Context, tags: ApiDocument['tags']): Markup {
  const items = tags.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)
  return html`<nav class="contents" aria-label="${t('docs.contents')}"><ul>${items}</ul></nav>`
}

function groupOf(context: Context, name: string, description: string, operations: readonly ApiOperation[]): MarkupPart {
  if (operations.length === 0) return null
  return html`<section aria-labelledby="${name}"><h2 id="${name}">${name}</h2><p>${description}</p>${operations.map((one) => operationOf(context, one))}</section>`
}

/** Fields to sign in. They stay in the page: a script sends them with a request, and only then. */
function credentials({ t, language }: Context): Markup {
  return html`<details class="panel credentials"><summary>${icon('lock')}${t('docs.sign_in')}</summary>
<p class="aside">${text(language, 'documentation.basic')} ${t('docs.not_kept')}</p>
<div class="fields"><label>${t('docs.user')} <input id="docs-user" autocomplete="off" spellcheck="false"></label>
<label>${t('docs.password')} <input id="docs-password" type="password" autocomplete="off"></label></div></details>`
}

/** Question before a request that writes. */
function confirmation({ t }: Context): Markup {
  return html`<dialog id="confirm" aria-labelledby="confirm-title"><form method="dialog"><h2 id="confirm-title">${t('docs.confirm')}</h2>
<p>${t('docs.warning')}</p><p><code id="confirm-request"></code></p>
<div class="ends"><button class="button" value="cancel" autofocus>${t('docs.cancel')}</button><button class="button primary" value="send">${t('docs.send_anyway')}</button></div></form></dialog>`
}

export const docsViews: readonly View[] = [{ path: '/docs', methods: ['GET'], handle: docs }]
