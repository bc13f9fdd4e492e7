import { toWallClock } from '../calendar/zone.ts'
import * as addresses from '../domain/addresses.ts'
import * as terms from '../domain/terms.ts'
import { type Answer, type Call, NAMESPACE, type View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { escapeText } from '../lib/markup.ts'
import { RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { termPath } from './cards.ts'

/** Sitemap (sitemaps.org): an index, and parts by ranges of ids, small enough to be cached. */
const PART = 5000
/** Limit on parts of the index. */
const MAX_PARTS = 50_000
const KINDS = new Map(RECORD_KINDS.map((kind) => [`${kind}s`, kind]))
/** Limit on terms of a kind. */
const MAX_TERMS = 5000
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const XML = { 'content-type': 'application/xml; charset=utf-8' }

async function index(call: Call): Promise<Answer> {
  const { home } = call.addresses
  const names = ['calendar']
  for (const [name, kind] of KINDS) {
    const last = Math.floor((await addresses.highestId(call.scope, kind)) / PART)
    for (let part = 0; part <= last && names.length < MAX_PARTS; part++) names.push(`${name}-${part}`)
  }
  const lines = names.map((name) => `<sitemap><loc>${escapeText(`${home}/sitemap/${name}.xml`)}</loc></sitemap>\n`)
  return { headers: XML, body: `${HEAD}<sitemapindex ${SPACE}>\n${lines.join('')}</sitemapindex>\n` }
}

async function part(call: Call): Promise<Answer> {
  const [, name = '', number] = /^(\w+)(?:-(\d{1,6}))?\.xml$/.exec(call.slug) ?? []
  const kind = KINDS.get(name)
  if (kind !== undefined && number !== undefined) {
    return { headers: XML, body: await records(call, kind, Number(number) * PART) }
  }
  if (name === 'calendar' && number === undefined) return { headers: XML, body: await calendar(call) }
  throw new AppError('rest_no_route')
}

/** Part with records of one kind. */
async function records(call: Call, kind: RecordKind, from: number): Promise<string> {
  const entries: string[] = []
  for await (const rows of addresses.list(call.scope, kind, from, from + PART))
    for (const { slug, modified_utc } of rows)
      entries.push(entry(`${call.addresses.home}/${kind}/${slug}/`, modified_utc))
  return `${HEAD}<urlset ${SPACE}>\n${entries.join('')}</urlset>\n`
}

async function calendar(call: Call): Promise<string> {
  const { home } = call.addresses
  const places = ['/', '/events/', '/events/month/', '/events/map/']
  for (const kind of ['category', 'tag'] as const) places.push(...(await termPaths(call, kind)))
  return `${HEAD}<urlset ${SPACE}>\n${places.map((path) => entry(`${home}${path}`)).join('')}</urlset>\n`
}

async function termPaths({ scope }: Call, kind: TermKind): Promise<string[]> {
  const paths: string[] = []
  for (let page = 1; paths.length < MAX_TERMS; page++) {
    const { rows } = await terms.list(scope, kind, () => ({ page, per_page: 50, orderby: 'id' }))
    if (rows.length === 0) break
    paths.push(...rows.map(termPath))
  }
  return paths
}

function entry(address: string, modified?: number): string {
  const changed = modified === undefined ? '' : `<lastmod>${toWallClock(modified, 'UTC').replace(' ', 'T')}Z</lastmod>`
  return `<url><loc>${escapeText(address)}</loc>${changed}</url>\n`
}

function robots({ addresses: { home } }: Call): Answer {
  return {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `User-agent: *\nDisallow: /${NAMESPACE}/\nDisallow: /*/${NAMESPACE}/\n\nSitemap: ${home}/sitemap.xml\n`,
  }
}

export const machineViews: readonly View[] = [
  { path: '/sitemap.xml', methods: ['GET'], handle: index },
  { path: '/sitemap/:slug', methods: ['GET'], handle: part },
  { path: '/robots.txt', methods: ['GET'], handle: async (call) => robots(call) },
]
