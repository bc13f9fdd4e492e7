// The card of an event in the month: on hover and on focus. It stays while the pointer is on it, and Escape closes it (WCAG 1.4.13).

/** Milliseconds before a card opens, and in which the pointer can move from an event to its card. */
const OPENING = 120
const CLOSING = 250
/** Events of a day in the card of the whole day. */
const MOST = 6
/** Distance from the event and from the edge of the window, in pixels. */
const GAP = 4
const EDGE = 8

const grid = document.querySelector('table.month')
const narrow = matchMedia('(max-width: 47.99rem)')
const card = document.createElement('div')
card.id = 'event-card'
card.className = 'peek'
card.setAttribute('role', 'tooltip')
card.hidden = true
document.body.append(card)

let owner = null
let timer

// The card says what the title would.
for (const link of grid.querySelectorAll('li a')) link.removeAttribute('title')

function line(className, text) {
  const element = document.createElement('p')
  element.className = className
  element.dir = 'auto'
  element.textContent = text
  return element
}

function entryOf(link) {
  const { when, where, cost } = link.dataset
  const entry = document.createElement('div')
  entry.append(line('when', when), line('title', link.querySelector('.name').textContent))
  if (where) entry.append(line('where', where))
  if (cost) entry.append(line('where', cost))
  return entry
}

/** Shows the card of an event, or of a day. */
function open(element) {
  clearTimeout(timer)
  if (narrow.matches || element === owner) return
  close()
  const links = element.matches('a') ? [element] : [...element.querySelectorAll('li a[data-when]')].slice(0, MOST)
  if (links.length === 0) return
  owner = element
  card.replaceChildren(...links.map(entryOf))
  card.hidden = false
  if (element.matches('a')) element.setAttribute('aria-describedby', card.id)
  place(element.getBoundingClientRect(), !element.matches('a'))
}

/** Below an event, or above it where there is no room; beside a day, so that the days around it can be seen. */
function place({ left, right, top, bottom }, isDay) {
  const { width, height } = card.getBoundingClientRect()
  const room = document.documentElement.clientWidth - width - EDGE
  const isAbove = bottom + GAP + height > innerHeight && top - GAP - height > 0
  const beside = right + GAP <= room ? right + GAP : left - GAP - width
  const x = isDay ? beside : left
  const y = isDay ? Math.min(top, innerHeight - height - EDGE) : isAbove ? top - GAP - height : bottom + GAP
  card.style.left = `${scrollX + Math.max(EDGE, Math.min(x, room))}px`
  card.style.top = `${scrollY + (isDay ? Math.max(EDGE, y) : y)}px`
}

function close() {
  clearTimeout(timer)
  owner?.removeAttribute('aria-describedby')
  owner = null
  card.hidden = true
}

const eventAt = (target) => target.closest?.('.month li a[data-when]')

grid.addEventListener('pointerover', ({ target, pointerType }) => {
  const link = pointerType === 'touch' ? null : eventAt(target)
  if (!link) return
  clearTimeout(timer)
  timer = setTimeout(() => open(link), OPENING)
})
const leave = () => {
  clearTimeout(timer)
  // The card of what has the focus stays.
  if (document.activeElement !== owner) timer = setTimeout(close, CLOSING)
}
grid.addEventListener('pointerout', ({ target }) => {
  if (eventAt(target)) leave()
})
card.addEventListener('pointerenter', () => clearTimeout(timer))
card.addEventListener('pointerleave', leave)
grid.addEventListener('focusin', ({ target }) => {
  const link = eventAt(target)
  if (link) open(link)
  else if (target.matches('td:focus-visible')) open(target)
  else close()
})
grid.addEventListener('focusout', close)
addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || owner === null) return
    event.preventDefault()
    close()
  },
  { capture: true },
)
