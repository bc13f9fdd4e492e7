import { dateOf, today, wallOf } from './days.js'
import { decode, make, safeUrl } from './elements.js'

/** @typedef {import('./service.js').Event} Event */
/** @typedef {import('./calendar.js').Context} Context */

let groups = 0

/** Titles whose first letter is of a script that is written from right to left. */
const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Events under a heading of theirs. @param {Context} context @param {string} title @param {readonly Event[]} events */
export function group(context, title, events) {
  const id = `kalends-${++groups}`
  const items = events.map((event) => item(context, event))
  const list = make('ul', { 'aria-labelledby': id }, ...items)
  return make('section', { class: 'group' }, make('p', { class: 'day', id }, title), list)
}

/** One event in a list. @param {Context} context @param {Event} event */
export function item(context, event) {
  const [venue] = [event.venue].flat()
  const place = decode(venue?.venue ?? venue?.city ?? '')
  const cost = event.cost === 'Free' ? context.text('free') : decode(event.cost)
  const meta = [place, cost].filter((part) => part !== '').join(' · ')
  const picture = event.image ? safeUrl(event.image.sizes?.thumbnail?.url) : null
  return make(
    'li',
    { class: 'event', dir: RIGHT_TO_LEFT.test(decode(event.title)) && 'rtl' },
    make(
      'div',
      { class: 'words' },
      make('p', { class: 'time' }, make('bdi', {}, when(context, event)), event.featured && badge(context)),
      make('a', { href: safeUrl(event.url), dir: 'auto' }, decode(event.title)),
      meta !== '' && make('p', { class: 'quiet', dir: 'auto' }, meta),
    ),
    picture !== null &&
      make('img', { src: picture, alt: '', width: 72, height: 72, loading: 'lazy', referrerpolicy: 'no-referrer' }),
  )
}

/** @param {Context} context */
function badge(context) {
  return make('span', { class: 'badge' }, context.text('featured'))
}

/** The time by the event's own clock, with its zone where the reader's clock differs. @param {Context} context @param {Event} event */
function when({ write, text }, { start_date, end_date, utc_start_date, timezone_abbr, all_day }) {
  const [start, end] = [wallOf(start_date), wallOf(end_date)]
  if (end.getTime() - start.getTime() >= 86_400_000) return text('until', { day: write.short(end) })
  if (all_day) return text('whole')
  const here = wallOf(utc_start_date)
  const differs = here.getTime() - here.getTimezoneOffset() * 60_000 !== start.getTime()
  // A range over midnight would name both days.
  const sameDay = start_date.slice(0, 10) === end_date.slice(0, 10)
  const times = sameDay ? write.times(start, end) : `${write.time(start)} – ${write.time(end)}`
  return differs ? `${times} ${timezone_abbr}` : times
}

/** A day by its name; the year only where it is another. @param {Context} context @param {string} day */
export function dayName({ write, text }, day) {
  const name = write.day(dateOf(day))
  if (day === today()) return `${text('today')} · ${name}`
  return day.slice(0, 4) === today().slice(0, 4) ? name : `${name} ${day.slice(0, 4)}`
}

/** The way to the service's own pages. @param {Context} context */
export function wholeCalendar({ base, text }) {
  return make('a', { class: 'whole', href: safeUrl(`${base}events/`) }, text('all'))
}
