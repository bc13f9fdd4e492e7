import { openStream, type StreamRequest } from '../domain/event-stream.ts'
import * as events from '../domain/events.ts'
import * as linkedRecords from '../domain/linked-records.ts'
import { findShown } from '../domain/records.ts'
import type { Scope } from '../domain/scope.ts'
import { getByPath } from '../domain/term-paths.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import { eventListParameters } from '../schema/event.ts'
import { byLinkedKind, RECORD_KINDS } from '../schema/linked.ts'
import { PAGE_PARAMETERS } from '../schema/record.ts'
import { conditional } from './conditional.ts'
import { type Feed, type Format, feedTitle } from './feed.ts'
import { feedFormats } from './formats.ts'
import { movedFeed } from './moved.ts'

const LIST_FORMATS = new Map(feedFormats('lists').map((format) => [format.extension, format]))
const LIST_ENDINGS = [...LIST_FORMATS.keys()].join('|')
const EVENT_ENDINGS = feedFormats('events')
  .map(({ extension }) => extension)
  .join('|')

const FILE = new RegExp(`^(.+)\\.(${LIST_ENDINGS})$`)

/** Subject of a feed: name, page and filter. */
interface Subject {
  readonly name: string | null
  /** Path of the page without the trailing slash. The feed adds its extension. */
  readonly path: string
  readonly of?: StreamRequest['of']
  /** Filter in place of the parameters. */
  readonly query?: () => Record<string, unknown>
  /** Whether it is a single event. */
  readonly isOne?: true
}

const ALL: Subject = { name: null, path: '/events' }

/** Feeds show public data only. */
function asVisitor(scope: Scope): Scope {
  return { ...scope, user: null }
}

const SUBJECTS = {
  event: async (scope: Scope, slug: string, search: URLSearchParams): Promise<Subject> => {
    const { row } = await events.get(asVisitor(scope), { slug: slugify(slug) }, () => ({}), findShown)
    const subject = { name: row.title, path: `/event/${row.slug}` }
    if (search.get('scope') === 'all' && row.series !== null)
      return { ...subject, query: () => ({ series: row.series }) }
    return { ...subject, query: () => ({ include: row.id }), isOne: true }
  },
  ...byLinkedKind((kind) => (scope: Scope, slug: string) => linkedSubject(scope, kind, slug)),
  tag: async (scope: Scope, slug: string): Promise<Subject> => {
    const { id, name, slug: own } = await getByPath(scope, 'tag', slug)
    return { name, path: `/tag/${own}`, of: { kind: 'tag', id } }
  },
  category: async (scope: Scope, slugs: string): Promise<Subject> => {
    const { id, name, path } = await getByPath(scope, 'category', slugs)
    return { name, path: `/events/category/${path}`, of: { kind: 'category', id } }
  },
}

async function linkedSubject(scope: Scope, kind: linkedRecords.LinkedKind, slug: string): Promise<Subject> {
  const { row } = await linkedRecords.get(asVisitor(scope), kind, { slug: slugify(slug) }, findShown)
  return { name: String(row[kind]), path: `/${kind}/${row.slug}`, of: { kind, id: row.id } }
}

/** Feeds take the parameters of the list of events. */
export const feedParameters: readonly string[] = Object.keys(eventListParameters).filter(
  (name) => !PAGE_PARAMETERS.includes(name),
)

/** Feeds of every list and of every event. */
export const feeds: readonly View[] = [
  ...[...LIST_FORMATS].map(
    ([extension, format]): View => ({
      path: `/events.${extension}`,
      methods: ['GET'],
      parameters: feedParameters,
      handle: (call) => answer(call, ALL, format),
    }),
  ),
  ...([...RECORD_KINDS, 'tag'] as const).map(
    (kind): View => ({
      path: `/${kind}/:slug(^.+\\.(?:${kind === 'event' ? EVENT_ENDINGS : LIST_ENDINGS})$)`,
      methods: ['GET'],
      // A single event has none of the parameters of lists.
      parameters: kind === 'event' ? ['scope'] : feedParameters,
      async handle(call) {
        return answerFile(call, kind, feedFile(call.slug) ?? { path: '', extension: '' })
      },
    }),
  ),
]

/** Feed of a category by the wildcard part of a path; null if that is no feed. */
export async function categoryFeed(call: Call): Promise<Answer | null> {
  const file = feedFile(call.rest)
  if (file === null) return null
  return answerFile(call, 'category', file)
}

interface FeedFile {
  readonly path: string
  readonly extension: string
}

async function answerFile(call: Call, kind: keyof typeof SUBJECTS, file: FeedFile): Promise<Answer> {
  let subject: Subject
  try {
    subject = await SUBJECTS[kind](call.scope, file.path, call.search)
  } catch (error) {
    return movedFeed(call, kind, file, error)
  }
  return answer(call, subject, LIST_FORMATS.get(file.extension))
}

/** Path and extension of a feed of a list; null if it is none. */
export function feedFile(path: string): FeedFile | null {
  const [, name, extension = ''] = FILE.exec(path) ?? []
  return name === undefined ? null : { path: name, extension }
}

async function answer(call: Call, subject: Subject, format: Format | undefined): Promise<Answer> {
  if (format === undefined) throw new AppError('rest_no_route')
  const { of } = subject
  const found = await openStream(call.scope, {
    query: subject.query ?? call.query,
    ...(of && { of }),
    period: format.period,
    isPublic: true,
    ...(subject.isOne ? {} : { joinsSeries: format.joinsSeries === true }),
  })
  const pages = found.page === null ? 1 : Math.ceil(found.total / found.page.perPage)
  const page = found.page?.page ?? 1
  if (page > Math.max(pages, 1)) throw new AppError('event-archive-page-not-found', { fill: { pages } })
  const { addresses, language, scope } = call
  const base = addresses.pages
  const address = (number: number) => feedAddress(`${base}${subject.path}.${format.extension}`, call.search, number)
  const feed: Feed = {
    title: feedTitle(scope.site, addresses, language, subject.name),
    language,
    addresses,
    site: scope.site,
    page: `${base}${subject.path}/`,
    self: address(page),
    next: page < pages ? address(page + 1) : null,
    previous: page > 1 ? address(page - 1) : null,
    now: () => scope.clock(),
    events: found,
  }
  return conditional(call, found, headersOf(feed, format, fileName(subject, format)), () => format.write(feed))
}

/** Address of a page of a feed, with all parameters. */
function feedAddress(path: string, search: URLSearchParams, page: number): string {
  const own = new URLSearchParams(search)
  if (own.has('page') || page > 1) own.set('page', String(page))
  own.sort()
  return own.size === 0 ? path : `${path}?${own}`
}

function headersOf(
  { page, next, previous }: Feed,
  { type, isAttachment }: Format,
  file: string,
): Record<string, string> {
  const links = [`<${page}>; rel="alternate"; type="text/html"`]
  if (next !== null) links.push(`<${next}>; rel="next"`)
  if (previous !== null) links.push(`<${previous}>; rel="prev"`)
  return {
    'content-type': type,
    link: links.join(', '),
    // Calendars are downloaded, so that the calendar program opens them.
    'content-disposition': `${isAttachment ? 'attachment' : 'inline'}; filename="${file}"`,
  }
}

/** A slug is letters, digits, dashes and percent signs: safe between quotes. */
function fileName({ path }: Subject, { extension }: Format): string {
  return `${path.split('/').at(-1)}.${extension}`
}
