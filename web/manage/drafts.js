// An unsaved form survives a reload, and warns before it is left.

const PREFIX = 'kalends '
const SENT = 'kalends sent'
const SKIPPED = new Set(['csrf', 'password', 'do', 'reason'])
const keyOf = () => PREFIX + location.pathname

// What was sent and done is no draft any more.
const sent = sessionStorage.getItem(SENT)
if (sent !== null && new URLSearchParams(location.search).has('done')) {
  localStorage.removeItem(sent)
  sessionStorage.removeItem(SENT)
}

const fieldsOf = (form) =>
  [...form.elements].filter(
    (field) => field.name && !SKIPPED.has(field.name) && !/^(file|submit|button)$/.test(field.type),
  )

const valuesOf = (form) =>
  fieldsOf(form).map((field) => [field.name, /^(checkbox|radio)$/.test(field.type) ? field.checked : field.value])

function restore(form, values) {
  const waiting = new Map()
  for (const [name, value] of values) waiting.set(name, [...(waiting.get(name) ?? []), value])
  for (const field of fieldsOf(form)) {
    const value = waiting.get(field.name)?.shift()
    if (value === undefined) continue
    if (typeof value === 'boolean') field.checked = value
    else field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    field.dispatchEvent(new Event('restored'))
  }
}

for (const form of document.querySelectorAll('form[data-keep]')) {
  const isRefused = document.querySelector('.refused') !== null
  let isDirty = isRefused
  let isSending = false
  let timer
  const keep = () => {
    try {
      localStorage.setItem(keyOf(), JSON.stringify(valuesOf(form)))
    } catch {
      // No room, or not allowed: then only the warning is left.
    }
  }
  const stored = isRefused ? null : localStorage.getItem(keyOf())
  if (stored !== null) {
    const original = valuesOf(form)
    restore(form, JSON.parse(stored))
    isDirty = true
    const note = document.querySelector('#restored').content.firstElementChild.cloneNode(true)
    note.querySelector('button').addEventListener('click', () => {
      localStorage.removeItem(keyOf())
      restore(form, original)
      isDirty = false
      note.remove()
    })
    form.prepend(note)
  }
  form.addEventListener('input', (event) => {
    if (!event.isTrusted && event.type === 'input' && !event.detail) return
    isDirty = true
    clearTimeout(timer)
    timer = setTimeout(keep, 300)
  })
  form.addEventListener('submit', (event) => {
    if (event.submitter?.value === 'preview') return
    isSending = true
    keep()
    sessionStorage.setItem(SENT, keyOf())
  })
  addEventListener('beforeunload', (event) => {
    if (isDirty && !isSending) event.preventDefault()
  })
}

// A shared computer keeps nothing of whoever signs out.
for (const form of document.querySelectorAll('form[action$="/sign-out"]')) {
  form.addEventListener('submit', () => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  })
}
