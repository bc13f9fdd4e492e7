// Shows only the fields of a repetition that matter, its next dates, and a calendar to click on. The server expands the rule.

const PAUSE = 200

for (const box of document.querySelectorAll('[data-recurrence]')) repeat(box)

function repeat(box) {
  const form = box.closest('form')
  const words = JSON.parse(box.dataset.words)
  const preview = element('div', 'recurrence-preview')
  preview.setAttribute('aria-live', 'polite')
  const lists = form.elements.repeat_dates.closest('details')
  const calendar = calendarOf(form, words, () => ask())
  lists.querySelector('summary').after(calendar.element)
  box.append(preview)

  const showFields = () => {
    const kind = form.elements.repeat.value
    const end = form.elements.repeat_end.value
    for (const part of box.querySelectorAll('[class*="for-"]'))
      part.hidden = !part.classList.contains(`for-${kind}`) && !part.classList.contains(`for-${end}`)
    if (kind === 'dates') lists.open = true
    preview.hidden = kind === 'none'
  }

  let timer
  let last = 0
  const ask = () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      if (form.elements.repeat.value === 'none') return preview.replaceChildren()
      const turn = ++last
      const days = box.querySelectorAll('[name="repeat_days[]"]:checked')
      const query = new URLSearchParams({
        month: calendar.month(),
        repeat_days: [...days].map((day) => day.value).join(),
      })
      for (const field of form.elements) {
        const isWanted = /^(repeat(_[a-z]+)?|recurrence|start_date|timezone|all_day)$/.test(field.name)
        if (isWanted && (field.type !== 'checkbox' || field.checked)) query.append(field.name, field.value)
      }
      try {
        const response = await fetch(`${box.dataset.recurrence}?${query}`)
        if (!response.ok || turn !== last) return
        const found = await response.json()
        preview.replaceChildren(...linesOf(found, words))
        calendar.show(found.days)
      } catch {
        // Without the server there is no preview; the form can be saved all the same.
      }
    }, PAUSE)
  }

  const changed = () => {
    showFields()
    ask()
  }
  box.addEventListener('input', () => {
    changed()
    // Another repetition cannot reach this event alone.
    const reach = form.elements.scope
    if (reach?.value === 'this') reach.value = 'all'
  })
  form.addEventListener('change', changed)
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'start_date') calendar.reset()
    if (/^(start_date|timezone|all_day)$/.test(target.name)) ask()
  })
  changed()
}

function element(name, className, text) {
  const made = document.createElement(name)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function linesOf({ text, dates, more, problem }, words) {
  if (problem) return [element('p', 'problem', problem)]
  if (text === '') return []
  const list = element('ol')
  for (const { words: date } of dates) list.append(element('li', '', date))
  const end = dates.length === 0 ? words.no_dates : more ? words.goes_on : words.ends
  return [element('p', 'rule', text), element('p', 'label', words.next_dates), list, element('p', 'hint', end)]
}

/** The days of a month as buttons. One that has a date leaves it out, another one is added. */
function calendarOf(form, words, changed) {
  const { repeat_dates: added, repeat_except: except, start_date: start } = form.elements
  const linesIn = (field) =>
    field.value
      .split(/[,;\n]/)
      .map((line) => line.trim())
      .filter(Boolean)
  const daysIn = (field) => new Set(linesIn(field).map((line) => line.slice(0, 10)))
  let month = ''
  let occurs = []

  const holder = element('div', 'recurrence-calendar')
  holder.setAttribute('role', 'group')
  holder.setAttribute('aria-label', words.calendar)
  const title = element('strong')
  title.setAttribute('aria-live', 'polite')
  const turn = (steps, label, sign) => {
    const button = element('button', 'button', sign)
    button.type = 'button'
    button.setAttribute('aria-label', label)
    button.addEventListener('click', () => {
      const [year, number] = month.split('-').map(Number)
      month = new Date(Date.UTC(year, number - 1 + steps, 1)).toISOString().slice(0, 7)
      changed()
    })
    return button
  }
  const head = element('div', 'turn')
  head.append(turn(-1, words.previous, '‹'), title, turn(1, words.next, '›'))
  const grid = element('div', 'days-grid')
  holder.append(head, grid, element('p', 'hint', words.calendar_hint))

  const toggle = (day, isOccurrence) => {
    const field = isOccurrence ? except : added
    const lines = linesIn(field)
    const has = lines.some((line) => line.startsWith(day))
    field.value = (has ? lines.filter((line) => !line.startsWith(day)) : [...lines, day].sort()).join('\n')
    field.dispatchEvent(new CustomEvent('input', { bubbles: true, detail: true }))
    draw(day)
  }

  function draw(focus = '') {
    const first = new Date(`${month}-01T00:00:00Z`)
    const of = (options) => new Intl.DateTimeFormat(words.locale, { ...options, timeZone: 'UTC' })
    title.textContent = of({ month: 'long', year: 'numeric' }).format(first)
    const weekday = of({ weekday: 'short' })
    const long = of({ dateStyle: 'full' })
    const begins = new Intl.Locale(words.locale).getWeekInfo?.().firstDay ?? 1
    const before = (first.getUTCDay() - begins + 7) % 7
    const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
    const [extra, left] = [daysIn(added), daysIn(except)]
    const cells = []
    for (let n = 0; n < 7; n++) {
      const name = element('span', 'weekday', weekday.format(new Date(first.getTime() + (n - before) * 86_400_000)))
      name.setAttribute('aria-hidden', 'true')
      cells.push(name)
    }
    for (let n = 0; n < before; n++) cells.push(element('span'))
    for (let n = 1; n <= count; n++) {
      const day = `${month}-${String(n).padStart(2, '0')}`
      const isOccurrence = occurs.includes(day)
      const state = isOccurrence ? (left.has(day) ? 'left_out' : 'occurs') : extra.has(day) ? 'added' : 'free'
      const button = element('button', state, n)
      button.type = 'button'
      button.dataset.day = day
      button.setAttribute('aria-pressed', String(state === 'occurs' || state === 'added'))
      button.setAttribute('aria-label', `${long.format(new Date(`${day}T00:00:00Z`))}: ${words.states[state]}`)
      button.disabled = day === start.value.slice(0, 10)
      button.addEventListener('click', () => toggle(day, isOccurrence))
      cells.push(button)
    }
    grid.replaceChildren(...cells)
    if (focus !== '') grid.querySelector(`[data-day="${focus}"]`)?.focus()
  }

  return {
    element: holder,
    month() {
      if (month === '') month = start.value.slice(0, 7) || new Date().toISOString().slice(0, 7)
      return month
    },
    /** Shows the month of the start again. */
    reset() {
      month = ''
    },
    show(days) {
      occurs = days
      const focused = grid.contains(document.activeElement) ? document.activeElement.dataset.day : ''
      draw(focused)
    },
  }
}
