import { feedFormats } from '../feeds/formats.ts'
import type { Answer } from '../http/endpoint.ts'
import { html, jsonInScript, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import type { JsonLd } from '../rest/json-ld.ts'
import { assetPath, basePath } from './assets.ts'
import type { Context } from './context.ts'
import { icon } from './icons.ts'
import { signInPath, staffBar } from './staff-bar.ts'

/** Content and metadata of a page. */
export interface Page {
  readonly title: string
  readonly description?: string
  /** Canonical path, without a language. */
  readonly path: string
  readonly main: Markup
  /** Whether search engines are asked not to index the page. */
  readonly hidden?: boolean
  readonly status?: number
  /** The record that the page is about. */
  readonly jsonLd?: JsonLd
  /** The events that it lists. */
  readonly listed?: readonly JsonLd[]
  /** Address of the preview image. */
  readonly image?: string
  /** Path of the feeds of the page without extension, and their parameters. */
  readonly feed?: FeedLink
  /** Active entry of the navigation. */
  readonly at?: 'start' | 'events' | 'calendar' | 'map'
  /** Unix seconds at which the page changes by time alone, if before midnight. */
  readonly until?: number
  /** Path of the screen on which the reader may edit the record that the page shows. */
  readonly edit?: string
  /** Further stylesheets and scripts of this page. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** Whether it uses the whole width of the screen. */
  readonly full?: boolean
  /** Whether it shows protected content: then it must not be cached. */
  readonly secret?: boolean
}

export interface FeedLink {
  readonly path: string
  readonly search: string
  /** Which feed formats there are: those of lists (the default), or of a single event. */
  readonly of?: 'lists' | 'events'
}

/** The parts of a document around its content. */
export interface Frame {
  readonly header: (context: Context, page: Page) => Markup
  readonly footer: (context: Context, page: Page) => Markup
  /** Further stylesheets and scripts. */
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** Further sources of images, and further directives, of the content security policy. */
  readonly images: readonly string[]
  readonly policy: string
}

/** Around public pages. */
export const PUBLIC: Frame = {
  header: (context, page) => html`${staffBar(context, page.edit)}${header(context, page)}`,
  footer,
  styles: [],
  scripts: ['pages.js'],
  images: [],
  policy: "; connect-src 'self'",
}

/** Renders the whole document. */
export function answer(context: Context, page: Page, frame: Frame = PUBLIC): Answer {
  const { call, language } = context
  const { name } = call.scope.site
  const wordpress = wordpressAddress(context)
  const title = page.at === 'start' ? name : `${page.title} · ${name}`
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head(context, page, frame, title)}
</head>
<body${page.full && html` class="full"`}>
<a class="skip" href="#main">${context.t('skip')}</a>
${frame.header(context, page)}
<main id="main" tabindex="-1">
${page.main}
</main>
<p class="printed-address wide">${context.absolute(page.path)}</p>
${frame.footer(context, page)}
</body>
</html>
`
  return {
    status: page.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(context, frame),
      ...(wordpress !== null && { link: `<${wordpress}>; rel="https://api.w.org/"` }),
    },
    body: document.text,
    ...(page.until !== undefined && { until: page.until }),
    ...(page.secret && { secret: true }),
  }
}

/** Address of the WordPress interfaces, by which clients find them; null if there are none. */
function wordpressAddress({ call: { scope, addresses } }: Context): string | null {
  const { wordpressRoot } = scope.site
  return wordpressRoot === null ? null : `${addresses.pages}${wordpressRoot}/`
}

/** Content security policy: own resources, and the configured logo and map tiles. */
function policy({ call }: Context, frame: Frame): string {
  const { logo, tiles } = call.scope.site.design
  const elsewhere = [logo, tiles]
    .filter((address) => /^https?:/.test(address))
    .map((address) => new URL(address).origin)
  const images = ["'self'", ...frame.images, ...new Set(elsewhere)].join(' ')
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${images}; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'${frame.policy}`
}

function head(context: Context, page: Page, frame: Frame, title: string): Markup {
  const { call, assets, language } = context
  const { home } = call.addresses
  const wordpress = wordpressAddress(context)
  const { name, languages } = call.scope.site
  const style = (file: string) => assets.has(file) && html`<link rel="stylesheet" href="${assetPath(assets, file)}">\n`
  const font = (file: string) =>
    html`<link rel="preload" href="${assetPath(assets, file)}" as="font" type="font/woff2" crossorigin>\n`
  const script = (file: string) => html`<script type="module" src="${assetPath(assets, file)}"></script>\n`
  const canonical = context.absolute(page.path)
  const alternates =
    languages.length > 1 && page.status === undefined
      ? [
          ...languages.map((one) => html`<link rel="alternate" hreflang="${one}" href="${home}/${one}${page.path}">\n`),
          html`<link rel="alternate" hreflang="x-default" href="${home}${page.path}">\n`,
        ]
      : []
  return html`${font('figtree.woff2')}${font('newsreader.woff2')}${style('pages.css')}${frame.styles.map(style)}${page.styles?.map(style)}${style('theme.css')}<link rel="stylesheet" media="print" href="${assetPath(assets, 'print.css')}">
${style('custom.css')}${frame.scripts.map(script)}${page.scripts?.map(script)}<link rel="icon" href="${assetPath(assets, 'icon.svg')}">
<meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#14161a" media="(prefers-color-scheme: dark)">
${page.description && html`<meta name="description" content="${page.description}">\n`}${page.hidden ? safe('<meta name="robots" content="noindex">\n') : html`<link rel="canonical" href="${canonical}">\n`}${alternates}${page.feed && feeds(context, page.feed)}${wordpress !== null && html`<link rel="https://api.w.org/" href="${wordpress}">\n`}<meta property="og:type" content="website">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${page.at === 'start' ? title : page.title}">
<meta property="og:url" content="${canonical}">
<meta property="og:locale" content="${language}">
${page.description && html`<meta property="og:description" content="${page.description}">\n`}${page.image ? html`<meta property="og:image" content="${page.image}">\n<meta name="twitter:card" content="summary_large_image">\n` : safe('<meta name="twitter:card" content="summary">\n')}${page.jsonLd && ldScript(page.jsonLd)}${page.listed && page.listed.length > 0 && ldScript(page.listed)}`
}

function ldScript(value: JsonLd | readonly JsonLd[]): Markup {
  return html`<script type="application/ld+json">${jsonInScript(value)}</script>`
}

function feeds(context: Context, { path, search, of = 'lists' }: FeedLink): MarkupPart {
  const { name } = context.call.scope.site
  return feedFormats(of).map(
    ({ extension, type, label }) =>
      html`<link rel="alternate" type="${type.split(';')[0]}" title="${name} · ${label}" href="${context.absolute(`${path}.${extension}${search}`)}">\n`,
  )
}

function header(context: Context, { at }: Page): Markup {
  const item = (path: string, words: string, place: Page['at']) =>
    html`<li><a href="${context.link(path)}"${at === place && safe(' aria-current="page"')}>${words}</a></li>`
  return html`<header class="top"><div class="wide">
<a class="brand" href="${context.link('/')}">${logo(context)}<span dir="auto">${context.call.scope.site.name}</span></a>
<nav aria-label="${context.t('navigation.main')}"><ul>
${item('/events/', context.t('navigation.events'), 'events')}
${item('/events/month/', context.t('navigation.calendar'), 'calendar')}
${item('/events/map/', context.t('views.map'), 'map')}
</ul></nav>
</div></header>`
}

export function logo({ assets, call }: Context): Markup {
  const { logo: given } = call.scope.site.design
  const own = [...assets.keys()].find((name) => name.startsWith('logo.')) ?? 'icon.svg'
  const address = /^https?:/.test(given) ? given : assetPath(assets, own)
  return html`<img class="logo" src="${address}" alt="" width="36" height="36">`
}

function footer(context: Context, page: Page): Markup {
  const { path } = page
  const { call, language, t } = context
  const { languages, name } = call.scope.site
  const switcher = languages.map(
    (one) =>
      html`<li><a href="${addressIn(context, one, path)}" lang="${one}" hreflang="${one}"${one === language && safe(' aria-current="true"')}>${nameOf(one)}</a></li>`,
  )
  return html`<footer class="bottom"><div class="wide">
<p><strong dir="auto">${name}</strong></p>
<ul><li><a href="${context.link('/events/')}">${t('navigation.events')}</a></li>
${call.scope.site.suggest && html`<li><a href="${context.link('/suggest')}">${t('suggest.title')}</a></li>`}
<li><a href="${context.link('/events.ics')}">${t('subscribe.file')}</a></li>
<li><a href="${context.link('/docs')}">${t('navigation.documentation')}</a></li>
<li>${call.session === null ? html`<a href="${context.link(signInPath(page.status === undefined ? path : ''))}" rel="nofollow">${t('sign_in')}</a>` : html`<a href="${context.link('/manage')}">${t('manage')}</a>`}</li></ul>
${languages.length > 1 && html`<nav aria-label="${t('navigation.language')}">${icon('globe')}<ul>${switcher}</ul></nav>`}
</div></footer>`
}

function addressIn({ call }: Context, language: string, path: string): string {
  return `${basePath(call.addresses.home)}/${language}${path}`
}

const languageNames = new Map<string, string>()

/** Name of a language in itself, such as “Français”. */
export function nameOf(language: string): string {
  const known = languageNames.get(language)
  if (known !== undefined) return known
  const plain = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  const name = plain.charAt(0).toLocaleUpperCase(language) + plain.slice(1)
  languageNames.set(language, name)
  return name
}
