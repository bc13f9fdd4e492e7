// Completes names of venues, organizers, categories and tags while they are typed.

const LEAST = 2
const PAUSE = 150
let number = 0

for (const input of document.querySelectorAll('[data-complete]')) complete(input)
addEventListener('repeat', ({ detail }) => {
  for (const input of detail.querySelectorAll('[data-complete]')) complete(input)
})

function complete(input) {
  const form = input.closest('form')
  const { complete: kind } = input.dataset
  const isList = kind !== 'venues'
  const isTerms = kind === 'categories' || kind === 'tags'
  const list = document.createElement('ul')
  list.className = 'suggestions'
  list.id = `suggestions-${number++}`
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', input.labels?.[0]?.textContent ?? input.getAttribute('aria-label') ?? '')
  input.parentElement.classList.add('completing')
  input.after(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-expanded', 'false')
  input.setAttribute('aria-controls', list.id)

  let timer
  let asked = ''
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  // Of a list with commas, the last name is completed.
  const piece = () => (isList ? input.value.slice(input.value.lastIndexOf(',') + 1) : input.value).trim()
  const take = (name) => {
    const before = isList ? input.value.slice(0, input.value.lastIndexOf(',') + 1) : ''
    input.value = isList ? `${before}${before === '' ? '' : ' '}${name}, ` : name
    input.dispatchEvent(new CustomEvent('input', { bubbles: true, detail: true }))
    close()
  }
  const show = (names) => {
    list.replaceChildren(
      ...names.map((name, at) => {
        const item = document.createElement('li')
        item.id = `${list.id}-${at}`
        item.textContent = name
        item.dir = 'auto'
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', 'false')
        item.addEventListener('mousedown', (event) => {
          event.preventDefault()
          take(name)
        })
        return item
      }),
    )
    list.hidden = names.length === 0
    input.setAttribute('aria-expanded', String(names.length > 0))
    input.removeAttribute('aria-activedescendant')
  }
  const ask = async () => {
    const search = piece()
    asked = search
    if (search.length < LEAST) return close()
    const query = new URLSearchParams({ search, per_page: '8', ...(isTerms && { hide_empty: 'false' }) })
    const headers = { 'X-CSRF-Token': form.elements.csrf.value }
    const response = await fetch(`${form.dataset.rest}/${kind}?${query}`, { headers, credentials: 'same-origin' })
    if (!response.ok || asked !== search || document.activeElement !== input) return
    const found = (await response.json())[kind] ?? []
    const field = { venues: 'venue', organizers: 'organizer' }[kind] ?? 'name'
    const plain = (html) => new DOMParser().parseFromString(html, 'text/html').body.textContent
    show([...new Set(found.map((one) => plain(one[field])))].filter((name) => name !== search))
  }
  input.addEventListener('input', (event) => {
    if (event.detail === true) return
    clearTimeout(timer)
    timer = setTimeout(() => ask().catch(close), PAUSE)
  })
  input.addEventListener('blur', close)
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return
    const items = [...list.children]
    const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true')
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      const next = (at + step + items.length) % items.length
      for (const [place, item] of items.entries()) item.setAttribute('aria-selected', String(place === next))
      input.setAttribute('aria-activedescendant', items[next].id)
      items[next].scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && at >= 0) {
      event.preventDefault()
      take(items[at].textContent)
    }
  })
}
