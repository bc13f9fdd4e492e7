import type { Term } from '../domain/terms.ts'
import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import { termPath } from './cards.ts'
import type { Context } from './context.ts'
import { findTerm } from './filters.ts'
import { calendarOf } from './plugin-calendars.ts'
import { DAY, FEATURED, feedIn, isDate, ours, stepsOf, VIEWS, write } from './plugin-names.ts'
import { viewPage } from './plugin-pages.ts'

/** A category, and the steps that the WordPress calendar plugin adds to its path. */
export interface CategoryView {
  readonly category: Term
  readonly view: readonly string[]
}

/** Our nearest page for a view of a category, or its feed; null if the path ends with none of them. */
export async function nearestCategoryPage(context: Context, path: string, sent: string): Promise<string | null> {
  const { steps: all, page } = stepsOf(path)
  const feed = feedIn(all)
  const found = await categoryView(context, feed?.steps ?? all)
  if (found === null) return null
  const { category, view } = found
  const given = new URLSearchParams(sent)
  const own = termPath(category)
  if (feed !== null) return calendarOf({ path: own + view.join('/'), search: given }, feed.extension)
  if (view.length === 0 && page === null) return null
  const search = ours(given)
  if (page !== null) search.set('page', page)
  const name = view.find((step) => Object.hasOwn(VIEWS, step)) ?? (view.some(isDate) ? '' : 'list')
  if (VIEWS[name] !== '/events/') {
    search.set('category', category.slug)
    return viewPage(view, search)
  }
  const day = view.find((step) => DAY.test(step))
  if (view.includes(FEATURED)) search.set('featured', '1')
  if (day !== undefined) search.set('start_date', day)
  return write({ path: own, search })
}

/**
 * Tells a category from the view that follows it, as a category may have the name of a view: the longest path of a
 * category counts. Null if there is none.
 */
export async function categoryView(context: Context, steps: readonly string[]): Promise<CategoryView | null> {
  let found: CategoryView | null = null
  for (let at = steps.length; at >= Math.max(1, firstOfView(steps)); at--) {
    const category = await findTerm(context, 'category', steps[at - 1] ?? '').catch(unlessMissing)
    if (category === null) continue
    found = { category, view: steps.slice(at) }
    if (category.path === steps.slice(0, at).map(slugify).join('/')) return found
  }
  return found
}

function unlessMissing(error: unknown): null {
  if (error instanceof AppError && error.code === 'rest_term_invalid') return null
  throw error
}

/** First index at which a view may begin. It is a name, a date and `featured`, each at most once and in any order. */
function firstOfView(steps: readonly string[]): number {
  const kinds = [(step: string) => Object.hasOwn(VIEWS, step), isDate, (step: string) => step === FEATURED]
  const found = new Set<number>()
  let at = steps.length
  while (at > 1) {
    const kind = kinds.findIndex((is) => is(steps[at - 1] ?? ''))
    if (kind === -1 || found.has(kind)) break
    found.add(kind)
    at--
  }
  return at
}
