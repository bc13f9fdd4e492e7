import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { feeds } from '../../src/feeds/views.ts'
import type { View } from '../../src/http/endpoint.ts'
import { manageViews } from '../../src/manage/views.ts'
import { pages } from '../../src/pages/views.ts'
import { assistantViews } from '../../src/rest/assistant/views.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import { wordpressViews } from '../../src/rest/wordpress/views.ts'
import { readTable, routeOf } from '../support/rights/table.ts'
import { MOUNT } from '../support/rights/world.ts'

/** Routes that the table of rights does not name, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'GET /': 'the start page: the first events of GET /events',
  'GET /events/month': 'GET /events/month/:slug of today',
  'GET /events/week': 'GET /events/week/:slug of today',
  'GET /events/day': 'GET /events/day/:slug of today',
  'POST /event/:slug': 'the password of an event, from the form of its page',
  'GET /docs': 'the documentation is public',
  'GET /sitemap.xml': 'numbers of parts, of no record',
  'GET /robots.txt': 'the same for everybody',
  'GET /events/*': 'leads to other pages',
  'GET /events/month/featured': 'leads to another page',
  'GET /events/week/featured': 'leads to another page',
  'GET /events/day/featured': 'leads to another page',
  'GET /event/:slug/*': 'leads to the page or feed of a record',
  'GET /venue/:slug/*': 'leads to the page or feed of a record',
  'GET /organizer/:slug/*': 'leads to the page or feed of a record',
  'GET /tag/:slug/*': 'leads to the page or feed of a tag',
  'GET /sign-in': 'before anybody is known',
  'POST /sign-in': 'before anybody is known',
  'POST /sign-out': 'ends the session of the sender',
  'GET /invite/:slug': 'for who has the address: test/http/manage-users.test.ts',
  'POST /invite/:slug': 'for who has the address: test/http/manage-users.test.ts',
  'GET /suggest': 'for everybody: test/http/suggest.test.ts',
  'POST /suggest': 'for everybody: test/http/suggest.test.ts',
}

/** The routes of a view, without the patterns of their parameters. A feed has one for each of its formats. */
function routesOf({ methods, path }: View): string[] {
  const formats = /\(\?:([\w|]+)\)/
    .exec(path)?.[1]
    ?.split('|')
    .map((one) => `.${one}`) ?? ['']
  const plain = path.replaceAll(/\(\^[^/]*\$\)/g, '')
  return methods.flatMap((method) => formats.map((format) => `${method} ${plain}${format}`))
}

const named = new Set([...readTable().values()].flatMap((section) => [...section.keys()].map(routeOf)))
const views = [...feeds, ...pages, ...manageViews, ...assistantViews(endpoints), ...wordpressViews([MOUNT], endpoints)]
// The page of a category answers its feeds, too.
const ofCategories = ['ics', 'rss', 'atom', 'json'].map((extension) => `GET /events/category/*.${extension}`)
const routes = new Set([...endpoints.map(({ name }) => name), ...views.flatMap(routesOf), ...ofCategories])

describe('the table of rights', () => {
  it('names every endpoint, page, screen and feed, or says why not', () => {
    assert.deepEqual([...routes].filter((route) => !named.has(route) && !(route in LEFT_OUT)).sort(), [])
  })

  it('names nothing else', () => {
    assert.deepEqual([...named, ...Object.keys(LEFT_OUT)].filter((route) => !routes.has(route)).sort(), [])
    assert.deepEqual(
      Object.keys(LEFT_OUT).filter((route) => named.has(route)),
      [],
    )
  })
})
