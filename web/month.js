// The month: one tab stop with arrow keys, the rest of a day in place and, on a phone, the chosen day below the grid.

const grid = document.querySelector('table.month')
const panel = document.querySelector('.chosen-day')
const cells = [...grid.querySelectorAll('td')]
const narrow = matchMedia('(max-width: 47.99rem)')
const WEEK = 7
panel.setAttribute('aria-live', 'polite')

const linksIn = (cell) => [...cell.querySelectorAll('a')]
const dayOf = (cell) => cell.id.replace('day-', '')
const cellOf = (day) => document.getElementById(`day-${day}`)

/** Only the current cell can be reached with Tab; the links in cells are reached with Enter. */
let current = cellOf(panel.dataset.day)
for (const cell of cells) {
  cell.tabIndex = -1
  for (const link of linksIn(cell)) link.tabIndex = -1
}
setCurrent(current)

function setCurrent(cell) {
  current.tabIndex = -1
  current.removeAttribute('aria-selected')
  current = cell
  current.tabIndex = 0
  current.setAttribute('aria-selected', 'true')
}

function addDays(day, days) {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** The same day of another month, or its last day. */
function addMonths(day, months) {
  const [year, month, number] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0))
  last.setUTCDate(Math.min(number, last.getUTCDate()))
  return last.toISOString().slice(0, 10)
}

/** Goes to a day. One that is not in the grid is on the page of the previous or next month. */
function goTo(day, isTurn) {
  const cell = cellOf(day)
  if (cell !== null && !(isTurn && cell.classList.contains('outside'))) {
    setCurrent(cell)
    cell.focus()
    if (narrow.matches) choose(cell)
    return
  }
  const rel = day < dayOf(cells[WEEK]) ? 'prev' : 'next'
  const link = document.querySelector(`.steps a[rel=${rel}]`)
  if (link !== null) location.assign(`${link.href}#day-${day}`)
}

/** Moves between the date, the events and the rest of a cell. */
function moveInside(cell, from, by) {
  const links = linksIn(cell).filter((link) => link.getClientRects().length > 0)
  links[links.indexOf(from) + by]?.focus()
}

function enter(cell) {
  if (narrow.matches) return choose(cell)
  const [date, ...others] = linksIn(cell)
  const [first = date] = others
  first.focus()
}

grid.addEventListener('keydown', (event) => {
  const { key, target } = event
  const cell = target.closest('td')
  if (cell === null || event.ctrlKey || event.metaKey || event.altKey) return
  const day = dayOf(cell)
  const place = cells.indexOf(cell) % WEEK
  const forward = getComputedStyle(grid).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight'
  const inside = target !== cell
  const actions = {
    [forward]: () => goTo(addDays(day, 1)),
    [backward]: () => goTo(addDays(day, -1)),
    ArrowUp: () => (inside ? moveInside(cell, target, -1) : goTo(addDays(day, -WEEK))),
    ArrowDown: () => (inside ? moveInside(cell, target, 1) : goTo(addDays(day, WEEK))),
    Home: () => goTo(addDays(day, -place)),
    End: () => goTo(addDays(day, WEEK - 1 - place)),
    PageUp: () => goTo(addMonths(day, -1), true),
    PageDown: () => goTo(addMonths(day, 1), true),
    ...(inside ? { Escape: () => cell.focus() } : { Enter: () => enter(cell), F2: () => enter(cell) }),
  }
  // The card of an event takes Escape first.
  if (!Object.hasOwn(actions, key) || event.defaultPrevented) return
  event.preventDefault()
  actions[key]()
})

grid.addEventListener('focusin', ({ target }) => {
  const cell = target.closest('td')
  if (cell !== null && cell !== current) setCurrent(cell)
})

grid.addEventListener('click', (event) => {
  const date = event.target.closest('.date')
  if (date === null || !narrow.matches || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const cell = date.closest('td')
  setCurrent(cell)
  choose(cell)
})

function make(name, className, text) {
  const element = document.createElement(name)
  element.className = className
  if (text !== undefined) element.textContent = text
  return element
}

/** Shows a day below the grid, from its cell. */
function choose(cell) {
  const date = cell.querySelector('.date')
  const name = date.querySelector('time .unseen').textContent
  const heading = panel.querySelector('h2 a')
  heading.href = date.href
  heading.textContent = name
  const links = [...cell.querySelectorAll('li a')]
  panel.dataset.day = dayOf(cell)
  panel.querySelector('.events').replaceChildren(...links.map(itemOf))
  const none = panel.querySelector('.none')
  none.hidden = links.length > 0
  none.textContent = none.dataset.words.replace('{when}', name)
  panel.querySelector('.tail')?.remove()
  const tail = cell.querySelector('.tail')?.cloneNode(true)
  if (!tail) return
  for (const link of tail.querySelectorAll('a')) link.tabIndex = 0
  panel.append(tail)
}

/** Event of the chosen day, as the server writes it. */
function itemOf(link) {
  const { when, where, cost } = link.dataset
  const item = make('li', `event ${/(hue-\d|plain)/.exec(link.parentElement.className)?.[0] ?? ''}`)
  const article = make('article', '')
  const title = make('h3', '')
  const own = make('a', '', link.querySelector('.name').textContent)
  own.href = link.href
  own.dir = 'auto'
  title.append(own)
  article.append(make('p', 'when', when), title)
  if (where) article.append(make('p', 'where', where))
  if (cost) article.append(make('p', 'about', cost))
  for (const line of article.querySelectorAll('.where, .about')) line.dir = 'auto'
  item.append(article)
  return item
}

/** Further events of a day, read from its page. */
async function readRest(address, known) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(String(response.status))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const found = [...page.querySelectorAll('main .running li:not([data-long]), main .events.single > li')]
  const others = found.filter((item) => !known.has(item.querySelector('a').getAttribute('href')))
  return { others, further: page.querySelector('main .events.single ~ p a') }
}

/** Event of the page of a day as one of a cell. */
function rowOf(item) {
  const from = item.querySelector('a')
  const when = item.querySelector('.when time')?.textContent
  const where = item.querySelector('.where')?.textContent ?? item.querySelector('bdi')?.textContent
  const cost = item.querySelector('.cost')?.textContent
  const row = make('li', /(hue-\d|plain)/.exec(item.className)?.[0] ?? '')
  const link = make('a', '')
  link.href = from.getAttribute('href')
  link.tabIndex = -1
  // An event of several days has its dates before its place.
  link.dataset.when = when ?? item.querySelector('span').firstChild.textContent.replace(/\s*·\s*$/, '')
  if (where) link.dataset.where = where
  if (cost) link.dataset.cost = cost
  const name = make('span', 'name', from.textContent)
  name.dir = 'auto'
  if (/\d.*–/.test(when ?? '')) link.append(make('span', 'time', when.split(' – ')[0]), ' ')
  link.append(name)
  row.append(link)
  return row
}

/** Rest of a day as a list: rows of a cell, or items of the chosen day. */
function listOf({ others, further }, isPanel) {
  const rest = make('ul', isPanel ? 'rest events' : 'rest')
  const rows = others.map(rowOf)
  rest.append(...(isPanel ? rows.map((row) => itemOf(row.firstChild)) : rows))
  if (further) {
    const item = make('li', '')
    const link = make('a', 'more', further.textContent)
    link.href = further.getAttribute('href')
    if (!isPanel) link.tabIndex = -1
    item.append(link)
    rest.append(item)
  }
  return rest
}

function setOpen(more, isOpen) {
  more.querySelector('span').textContent = isOpen ? grid.dataset.less : more.dataset.count
  more.setAttribute('aria-expanded', String(isOpen))
}

/** Opens or closes the rest of a day. Without an answer of the service, the link leads to the day's page. */
async function toggleRest(more) {
  const open = more.parentElement.querySelector('.rest')
  if (open) {
    open.remove()
    return setOpen(more, false)
  }
  if (more.getAttribute('aria-busy') === 'true') return
  more.setAttribute('aria-busy', 'true')
  try {
    const holder = more.closest('td, .chosen-day')
    const known = new Set([...holder.querySelectorAll('li a')].map(({ pathname }) => pathname))
    const rest = listOf(await readRest(more.href, known), holder === panel)
    const hadFocus = document.activeElement === more
    more.before(rest)
    setOpen(more, true)
    if (hadFocus) rest.querySelector('a')?.focus({ preventScroll: true })
  } catch {
    location.assign(more.href)
  } finally {
    more.removeAttribute('aria-busy')
  }
}

for (const more of document.querySelectorAll('.month-view .tail > .more')) {
  more.setAttribute('role', 'button')
  more.setAttribute('aria-expanded', 'false')
}
document.querySelector('.month-view').addEventListener('click', (event) => {
  const more = event.target.closest('.tail > .more')
  if (more === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void toggleRest(more)
})
document.querySelector('.month-view').addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches('.tail > .more')) return
  event.preventDefault()
  void toggleRest(event.target)
})

// Arriving from another month by keyboard: go on where the reader was.
const [, asked] = /^#day-(\d{4}-\d{2}-\d{2})$/.exec(location.hash) ?? []
if (asked !== undefined && cellOf(asked)) goTo(asked)
