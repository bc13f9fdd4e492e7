// Everything works without this: it makes tables and forms of the staff quicker.

for (const all of document.querySelectorAll('[data-all]')) {
  const form = all.closest('form')
  all.hidden = false
  all.addEventListener('change', () => {
    for (const box of form.querySelectorAll('[name="ids[]"]')) box.checked = all.checked
  })
}

// On a phone the section that is shown may lie beyond the edge of the row of sections.
const current = document.querySelector('.top.manage nav [aria-current]')
if (current) {
  const row = current.closest('nav')
  const beyond = current.getBoundingClientRect().right - row.getBoundingClientRect().right
  if (beyond > 0) row.scrollLeft = beyond + row.clientWidth / 2
}

// A dropped picture is the one that is chosen. It is shown at once.
for (const zone of document.querySelectorAll('[data-drop]')) {
  const input = zone.querySelector('input[type=file]')
  const show = () => {
    const [file] = input.files
    if (!file) return
    const image = zone.querySelector('img') ?? zone.insertBefore(new Image(), zone.firstChild)
    image.removeAttribute('width')
    image.removeAttribute('height')
    image.alt = ''
    image.src = URL.createObjectURL(file)
  }
  input.addEventListener('change', show)
  for (const type of ['dragover', 'dragleave', 'drop']) {
    zone.addEventListener(type, (event) => {
      event.preventDefault()
      zone.classList.toggle('over', type === 'dragover')
      if (type !== 'drop' || event.dataTransfer.files.length === 0) return
      input.files = event.dataTransfer.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    })
  }
}

// When something stands in the last row, another empty one follows.
for (const list of document.querySelectorAll('[data-repeat]')) {
  list.addEventListener('input', () => {
    const last = list.lastElementChild
    const isUsed = [...last.querySelectorAll('input')].some((input) => input.value !== '')
    if (!isUsed || list.children.length >= 50) return
    const next = last.cloneNode(true)
    for (const input of next.querySelectorAll('input')) {
      input.value = ''
      input.removeAttribute('value')
      input.removeAttribute('aria-invalid')
    }
    for (const problem of next.querySelectorAll('.problem, .suggestions')) problem.remove()
    const number = list.children.length
    for (const element of next.querySelectorAll('[id], [name], [for]')) {
      for (const name of ['id', 'name', 'for']) {
        const value = element.getAttribute(name)
        if (value !== null) element.setAttribute(name, value.replace(/(\[|-)\d+(?=\]|$)/, `$1${number}`))
      }
    }
    list.append(next)
    list.dispatchEvent(new CustomEvent('repeat', { detail: next, bubbles: true }))
  })
}

// The end follows the start, with the same length.
for (const form of document.querySelectorAll('form.editor')) {
  const { start_date: start, end_date: end } = form.elements
  if (!start || !end) continue
  let before = start.value
  start.addEventListener('change', () => {
    const length = Date.parse(`${end.value}Z`) - Date.parse(`${before}Z`)
    const moved = Date.parse(`${start.value}Z`) + length
    if (length >= 0 && !Number.isNaN(moved)) end.value = new Date(moved).toISOString().slice(0, 16)
    before = start.value
  })
}

// A secret that is shown once is copied by a button, or chosen as a whole.
for (const input of document.querySelectorAll('[data-copy]')) {
  input.addEventListener('focus', () => input.select())
  const button = input.parentElement.querySelector('button')
  if (!button || !navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    input.select()
    await navigator.clipboard.writeText(input.value)
    button.textContent = button.dataset.done
  })
}

// The first thing that was refused is read and seen first.
const refused = document.querySelector('main [aria-invalid=true]') ?? document.querySelector('.refused')
refused?.focus()
