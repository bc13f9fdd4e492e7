import { make } from './elements.js'
import { dayName, group, item, wholeCalendar } from './items.js'
import { PER_PAGE } from './service.js'

/** @typedef {import('./service.js').Event} Event */
/** @typedef {import('./service.js').Page} Page */
/** @typedef {import('./calendar.js').Context} Context */

/** Times are asked for in steps of ten minutes, so that many readers ask the same. */
const STEP = 600_000
/** The most that is shown of what began before today, beside what is to come. */
const MOST_RUNNING = 4

/** The list: what is to come, by days, then what began earlier and goes on. @param {Context} context */
export async function showList(context) {
  const given = Number.parseInt(context.option('limit'), 10) || 10
  const limit = Math.min(Math.max(given, 1), PER_PAGE)
  const now = new Date(Math.floor(Date.now() / STEP) * STEP)
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const both = { strict_dates: 'true', ends_after: now.toISOString() }
  const coming = { ...both, per_page: String(limit), start_date: midnight.toISOString() }
  const before = new Date(midnight.getTime() - 1000).toISOString()
  const [page, running] = await Promise.all([
    context.ask(coming),
    context.ask({ ...both, per_page: String(PER_PAGE), starts_before: before }),
  ])
  const soonest = running.events.sort((one, other) => (one.utc_end_date < other.utc_end_date ? -1 : 1))
  draw(context, page, soonest.slice(0, page.events.length === 0 ? limit : MOST_RUNNING), coming)
}

/** @param {Context} context @param {Page} page @param {Event[]} earlier @param {Record<string, string>} query */
function draw(context, page, earlier, query) {
  const { text, body } = context
  const days = make('div')
  append(context, days, page.events)
  const after = make('div', { class: 'after' })
  if (page.total_pages > 1) after.append(moreButton(context, days, query))
  after.append(wholeCalendar(context))
  const count = page.events.length + earlier.length
  body.replaceChildren(days)
  if (count === 0) body.append(make('p', { class: 'note' }, text('none')))
  if (earlier.length > 0) body.append(group(context, text('now'), earlier))
  body.append(after)
  context.say(count === 0 ? text('none') : context.counted(count))
}

/** Adds the next page, and goes to its first event. @param {Context} context @param {HTMLElement} days @param {Record<string, string>} query */
function moreButton(context, days, query) {
  let shown = 1
  const button = make('button', { type: 'button', click: more }, context.text('more'))
  async function more() {
    button.setAttribute('aria-disabled', 'true')
    try {
      const page = await context.ask({ ...query, page: String(shown + 1) })
      shown++
      const first = append(context, days, page.events)
      context.say(context.counted(page.events.length))
      if (shown >= page.total_pages) button.remove()
      first?.querySelector('a')?.focus()
    } catch {
      context.say(context.text('failed'))
    }
    button.removeAttribute('aria-disabled')
  }
  return button
}

/** Adds events, each under its day; answers the first of them. @param {Context} context @param {HTMLElement} days @param {Event[]} events */
function append(context, days, events) {
  const items = []
  for (const event of events) {
    const day = event.start_date.slice(0, 10)
    const last = days.lastElementChild
    const found =
      last?.getAttribute('data-day') === day ? last : days.appendChild(group(context, dayName(context, day), []))
    found.setAttribute('data-day', day)
    const added = item(context, event)
    found.querySelector('ul')?.append(added)
    items.push(added)
  }
  return items[0]
}
