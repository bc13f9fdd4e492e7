import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import type { Context } from './context.ts'

/** The parts of the OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, { readonly description: string }>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

interface Schema {
  readonly $ref?: string
  readonly 'x-default'?: unknown
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Content {
  readonly schema: Schema
  readonly example?: unknown
}

interface Described {
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<
    Record<string, { description?: string; $ref?: string; content?: Record<string, Content> }>
  >
  readonly security: readonly object[]
}

export interface ApiOperation extends Described {
  readonly method: string
  readonly path: string
  readonly group: string
  /** Descriptions of failures by reference. */
  readonly failures: ApiDocument['components']['responses']
}

export function operationsOf({ paths, components }: ApiDocument): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      ...one,
      ...(one.requestBody && { requestBody: { content: resolved(one.requestBody.content, components.schemas) } }),
      method: method.toUpperCase(),
      path,
      group: one.tags[0] ?? '',
      failures: components.responses,
    })),
  )
}

/** Bodies with their schemas in place of references. */
function resolved(
  content: Readonly<Record<string, Content>>,
  schemas: Readonly<Record<string, Schema>>,
): Record<string, Content> {
  const resolve = ({ schema, ...more }: Content): Content => ({
    ...more,
    schema: schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema,
  })
  return Object.fromEntries(Object.entries(content).map(([type, one]) => [type, resolve(one)]))
}

/** One operation: closed, it has a line; open, what it takes and answers, and a form to try it. */
export function operationOf(context: Context, operation: ApiOperation): Markup {
  const { method, path, summary } = operation
  const { t } = context
  const id = `${method.toLowerCase()}${path.replace(/[{}]/g, '').replace(/\W+/g, '-')}`.replace(/-$/, '')
  const body = operation.requestBody?.content['application/json']
  const needsUser = operation.security.every((one) => Object.keys(one).length > 0)
  return html`<details class="operation" id="${id}"><summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> <span class="summary">${summary}</span></summary>
<div class="operation-body">${needsUser && html`<p class="aside">${t('docs.needs_user')}</p>`}
${table(
  context,
  t('docs.parameters'),
  operation.parameters.map(({ name, description, required, schema }) => ({ name, description, required, schema })),
)}
${table(context, t('docs.body'), bodyFields(body))}
${responses(context, operation)}
${tryForm(context, operation, id)}</div></details>
`
}

interface Row {
  readonly name: string
  readonly description: string
  readonly required?: boolean | undefined
  readonly schema: Schema
}

function bodyFields(body: Content | undefined): Row[] {
  const { properties = {}, required = [] } = body?.schema ?? {}
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    required: required.includes(name),
    schema,
  }))
}

function table({ t }: Context, title: string, rows: readonly Row[]): MarkupPart {
  if (rows.length === 0) return null
  const items = rows.map(({ name, description, required, schema }) => {
    const value = schema.default ?? schema['x-default']
    const preset = value === undefined ? null : html` <small>= <code>${JSON.stringify(value)}</code></small>`
    return html`<tr><th scope="row"><code>${name}</code>${required && html` <small class="needed">${t('docs.required')}</small>`}</th><td>${typeOf(schema)}${preset}</td><td>${withCode(description)}</td></tr>`
  })
  return html`<h3>${title}</h3><div class="table" tabindex="0" role="group" aria-label="${title}"><table><thead><tr><th scope="col">${t('docs.name')}</th><th scope="col">${t('docs.type')}</th><th scope="col">${t('docs.meaning')}</th></tr></thead><tbody>${items}</tbody></table></div>`
}

/** Text in which backticks mark code. */
function withCode(text: string): MarkupPart {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** Type in one word. Of several spellings the first is the usual one. */
function typeOf(schema: Schema): string {
  const [first = schema] = schema.anyOf ?? []
  if (first.enum) return first.enum.map(String).join(', ')
  return first.type === 'array' && first.items ? `${typeOf(first.items)}[]` : (first.type ?? '')
}

function responses({ t }: Context, { responses: all, failures }: ApiOperation): Markup {
  const items = Object.entries(all).map(([status, { description, $ref }]) => {
    const words = description ?? failures[$ref?.split('/').at(-1) ?? '']?.description ?? ''
    return html`<li><strong>${status}</strong> ${words}</li>`
  })
  const example = Object.values(all).find(({ content }) => content?.['application/json']?.example)?.content?.[
    'application/json'
  ]?.example
  return html`<h3>${t('docs.responses')}</h3><ul class="responses">${items}</ul>
${example !== undefined && html`<details class="example"><summary>${t('docs.example')}</summary><pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre></details>`}`
}

/** Form to try a request: a script sends it. Without scripts it is not shown. */
function tryForm({ t, call }: Context, operation: ApiOperation, id: string): Markup {
  const { method, path, parameters, requestBody } = operation
  const writes = method !== 'GET'
  const fields = parameters
    .filter((one) => one.in !== 'header')
    .map(
      (one) =>
        html`<label>${one.name} <input name="${one.name}" data-in="${one.in}"${one.required && html` required`} autocomplete="off" dir="auto"></label>`,
    )
  const json = requestBody?.content['application/json']
  const takesFile = requestBody !== undefined && !json?.schema.properties?.title && /images|import/.test(path)
  const sample = JSON.stringify(json?.example ?? {}, null, 2)
  return html`<form class="try" hidden data-method="${method}" data-address="${call.addresses.rest}${path}"${writes && html` data-writes`}><h3>${t('docs.try')}</h3>
${writes && html`<p class="note warning" role="note">${t('docs.warning')}</p>`}
${fields.length > 0 && html`<div class="fields">${fields}</div>`}
${takesFile && html`<label>${t('docs.file')} <input type="file" name="file"></label>`}
${requestBody && !takesFile && html`<label class="body">${t('docs.body')} (JSON) <textarea name="body" rows="8" spellcheck="false">${sample}</textarea></label>`}
<button class="button primary" type="submit">${t('docs.send')}</button>
<div class="answer" hidden><p role="status"></p><pre tabindex="0" aria-label="${t('docs.answer')}" id="answer-${id}"><code></code></pre></div></form>`
}
