import { addDays, addMonths, dateOf, daysOf, isOn, placeInWeek, today, weeksOf } from './days.js'
import { bones, decode, make } from './elements.js'
import { dayName, group, wholeCalendar } from './items.js'
import { PER_PAGE } from './service.js'

/** @typedef {import('./service.js').Event} Event */
/** @typedef {import('./calendar.js').Context} Context */

/** The most pages of a month: a thousand events. */
const MOST_PAGES = 20
/** Longer than this, in days, an event is shown with a day but does not mark it. */
const LONG = 7
/** How many events a day shows by name. */
const CHIPS = 3

/** The month: a grid of days, and under it the events of the day that is chosen. */
export class Month {
  #day = today()
  /** @type {Map<string, Event[]>} */
  #known = new Map()
  /** @type {Context} */
  #context

  /** @param {Context} context */
  constructor(context) {
    this.#context = context
  }

  get #month() {
    return this.#day.slice(0, 7)
  }

  async show() {
    const month = this.#month
    const known = this.#known.get(month)
    this.#draw(known ?? null)
    if (known !== undefined) return
    const events = await this.#fetch()
    this.#known.set(month, events)
    if (month === this.#month) this.#draw(events)
  }

  /** Every event that touches a day of the grid. */
  async #fetch() {
    const { ask, write } = this.#context
    const days = weeksOf(this.#month, write.firstDay).flat()
    const [first = '', last = ''] = [days[0], days.at(-1)]
    const query = { per_page: String(PER_PAGE), ends_after: addDays(first, -1), starts_before: last }
    const page = await ask(query)
    const further = Math.max(Math.min(page.total_pages, MOST_PAGES) - 1, 0)
    const others = await Promise.all(
      Array.from({ length: further }, (_, index) => ask({ ...query, page: String(index + 2) })),
    )
    return [page, ...others].flatMap(({ events }) => events)
  }

  /** @param {string} day */
  #choose(day) {
    this.#day = day
    void this.#context.show()
  }

  /** Null while they are being loaded. @param {Event[] | null} events */
  #draw(events) {
    const { body, text, write, say, counted } = this.#context
    const focused = /** @type {ShadowRoot} */ (body.getRootNode()).activeElement?.getAttribute('data-focus')
    const weeks = weeksOf(this.#month, write.firstDay)
    const rows = weeks.map((week) => make('tr', {}, ...week.map((day) => this.#cell(day, events))))
    const grid = make(
      'table',
      { role: 'grid', 'aria-labelledby': 'month', keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) },
      make('thead', {}, this.#weekdays(weeks[0] ?? [])),
      make('tbody', {}, ...rows),
    )
    const panel = events === null ? bones(2) : this.#panel(events)
    body.replaceChildren(this.#head(), grid, panel, make('div', { class: 'after' }, wholeCalendar(this.#context)))
    const again = focused === 'day' ? `[data-day="${this.#day}"]` : `[data-focus="${focused}"]`
    if (focused) /** @type {HTMLElement | null} */ (body.querySelector(again))?.focus()
    if (events === null) return say(text('loading'))
    const here = events.filter(({ start_date }) => start_date.startsWith(this.#month))
    say(`${write.month(dateOf(this.#day))}: ${counted(here.length)}`)
  }

  #head() {
    const { text, write } = this.#context
    const turn = (/** @type {number} */ by) => () => this.#choose(this.#firstOf(addMonths(this.#day, by)))
    const button = (
      /** @type {string} */ name,
      /** @type {string} */ sign,
      /** @type {() => void} */ click,
      label = '',
    ) => make('button', { type: 'button', 'data-focus': name, 'aria-label': label || null, click }, sign)
    return make(
      'div',
      { class: 'head' },
      make('p', { class: 'month', id: 'month' }, write.month(dateOf(this.#day))),
      button('today', text('today'), () => this.#choose(today())),
      button('previous', '‹', turn(-1), text('previous')),
      button('next', '›', turn(1), text('next')),
    )
  }

  /** Another month begins with its first day, this one with today. @param {string} day */
  #firstOf(day) {
    return today().startsWith(day.slice(0, 7)) ? today() : `${day.slice(0, 7)}-01`
  }

  /** @param {string[]} week */
  #weekdays(week) {
    const { write } = this.#context
    const heads = week.map((day) =>
      make(
        'th',
        { scope: 'col' },
        make('span', { 'aria-hidden': 'true' }, write.weekday(dateOf(day))),
        make('span', { class: 'hidden' }, write.weekdayLong(dateOf(day))),
      ),
    )
    return make('tr', {}, ...heads)
  }

  /** @param {string} day @param {Event[] | null} events */
  #cell(day, events) {
    const { write, counted } = this.#context
    const marking = (events ?? []).filter(
      (event) => isOn(event, day) && (event.start_date.startsWith(day) || daysOf(event) <= LONG),
    )
    const chips = marking
      .slice(0, CHIPS)
      .map((event) => make('span', { class: 'chip', dir: 'auto' }, decode(event.title)))
    const rest = marking.length > CHIPS && make('span', { class: 'rest' }, `+${marking.length - CHIPS}`)
    const state = [day.startsWith(this.#month) ? '' : 'outside', day === today() ? 'now' : ''].join(' ')
    const button = make(
      'button',
      {
        type: 'button',
        class: `cell ${state}`,
        'data-day': day,
        'data-focus': 'day',
        tabindex: day === this.#day ? 0 : -1,
        'aria-current': day === today() ? 'date' : null,
        click: () => this.#choose(day),
      },
      make(
        'span',
        { class: 'hidden' },
        write.day(dateOf(day)) + (events === null ? '' : `, ${counted(marking.length)}`),
      ),
      make('span', { class: 'number', 'aria-hidden': 'true' }, String(Number(day.slice(8)))),
      make('span', { class: 'chips', 'aria-hidden': 'true' }, ...chips, rest),
    )
    return make('td', { role: 'gridcell', 'aria-selected': String(day === this.#day) }, button)
  }

  /** The events of the chosen day; those that began earlier come last. @param {Event[]} events */
  #panel(events) {
    const on = events.filter((event) => isOn(event, this.#day))
    const isNew = (/** @type {Event} */ event) => Number(!event.start_date.startsWith(this.#day))
    const sorted = on.sort((one, other) => isNew(one) - isNew(other))
    const panel = group(this.#context, dayName(this.#context, this.#day), sorted)
    if (sorted.length === 0)
      panel.querySelector('ul')?.replaceWith(make('p', { class: 'quiet' }, this.#context.text('nothing')))
    return panel
  }

  /** Arrows go by days and weeks, Home and End to the ends of a week, Page Up and Page Down by months. @param {KeyboardEvent} event */
  #key(event) {
    const day = this.#day
    const place = placeInWeek(day, this.#context.write.firstDay)
    const next = {
      ArrowLeft: addDays(day, -1),
      ArrowRight: addDays(day, 1),
      ArrowUp: addDays(day, -7),
      ArrowDown: addDays(day, 7),
      Home: addDays(day, -place),
      End: addDays(day, 6 - place),
      PageUp: addMonths(day, -1),
      PageDown: addMonths(day, 1),
    }[event.key]
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    this.#choose(next)
  }
}
