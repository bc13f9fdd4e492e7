// Everything works without this: it adds the reader's own time, sharing, menus that close, and turns the small month in place.

for (const element of document.querySelectorAll('.yours')) {
  const { start, end, zone, locale, words } = element.dataset
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const [from, to] = [new Date(start * 1000), new Date(end * 1000)]
  const options = { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }
  // The clock of the page, with two-digit hours on one of 24 hours.
  if (new Intl.DateTimeFormat(locale, options).resolvedOptions().hourCycle === 'h23') options.hour = '2-digit'
  const local = new Intl.DateTimeFormat(locale, options).formatRange(from, to)
  let there
  try {
    there = new Intl.DateTimeFormat(locale, { ...options, timeZone: offset(zone) }).formatRange(from, to)
  } catch {
    // A zone that this browser does not know: then the reader's own is worth showing.
  }
  if (local === there) continue
  const place = own.split('/').at(-1).replaceAll('_', ' ')
  element.textContent = words.replace('{zone}', place).replace('{when}', local)
  element.hidden = false
}

// `UTC+5.5` is `+05:30` to browsers.
function offset(zone) {
  const [, sign, hours] = /^UTC([+-])(\d+(?:\.\d+)?)$/.exec(zone) ?? []
  if (sign === undefined) return zone
  const minutes = Math.round(hours * 60)
  const two = (number) => String(number).padStart(2, '0')
  return `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

for (const button of document.querySelectorAll('[data-share]')) {
  const url = document.querySelector('link[rel=canonical]')?.href ?? location.href
  if (!navigator.share && !navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      if (navigator.share) return await navigator.share({ title: document.querySelector('h1')?.textContent, url })
      await navigator.clipboard.writeText(url)
      const words = button.querySelector('span')
      words.setAttribute('role', 'status')
      words.textContent = button.dataset.copied
    } catch {
      // The reader thought better of it.
    }
  })
}

for (const button of document.querySelectorAll('[data-near]')) {
  if (!navigator.geolocation) continue
  button.closest('li').hidden = false
  const note = document.querySelector('[data-near-failed]')
  const found = ({ coords }) => {
    const address = new URL(button.dataset.near, location.href)
    // To a hundred metres: the address may be shared.
    address.searchParams.set('geoloc_lat', coords.latitude.toFixed(3))
    address.searchParams.set('geoloc_lng', coords.longitude.toFixed(3))
    location.assign(address)
  }
  const failed = () => {
    button.removeAttribute('aria-busy')
    note.hidden = false
    note.textContent = note.dataset.nearFailed
  }
  button.addEventListener('click', () => {
    button.setAttribute('aria-busy', 'true')
    navigator.geolocation.getCurrentPosition(found, failed, { timeout: 15_000, maximumAge: 600_000 })
  })
}

// Screen readers announce what changes after a page was loaded.
for (const element of document.querySelectorAll('.found')) setTimeout(() => element.append('\u00a0'), 500)

// A chosen one may lie outside of a row that scrolls.
for (const element of document.querySelectorAll('.choices [aria-current]'))
  element.scrollIntoView({ block: 'nearest', inline: 'center' })

const menus = [...document.querySelectorAll('details.menu, .filters details')]
addEventListener('click', ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false
})
addEventListener('keydown', ({ key }) => {
  const open = key === 'Escape' && menus.find((menu) => menu.open)
  if (!open) return
  open.open = false
  open.querySelector('summary').focus()
})

// The small month of the start page: only it changes, and the step keeps the focus.
addEventListener('click', async (event) => {
  const step = event.target.closest?.('.small-month .step')
  if (!step || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  try {
    const response = await fetch(step.href)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const month = page.querySelector('.small-month')
    const rel = step.rel
    document.querySelector('.small-month').replaceWith(month)
    month.querySelector(`.step[rel="${rel}"]`)?.focus({ preventScroll: true })
    month.querySelector('h2').setAttribute('aria-live', 'polite')
    history.replaceState(null, '', step.href.replace(/#.*/, ''))
  } catch {
    location.assign(step.href)
  }
})
