// The page can be read without this: it lets readers try requests.

const dialog = document.querySelector('#confirm')

/** The credentials that were typed in, if any: a name with a password or token, or a token alone. */
function authorization() {
  const [user, password] = ['#docs-user', '#docs-password'].map((id) => document.querySelector(id).value)
  if (password === '') return {}
  if (user === '') return { authorization: `Bearer ${password}` }
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function requestOf(form) {
  let address = form.dataset.address
  const search = new URLSearchParams()
  for (const input of form.querySelectorAll('[data-in]')) {
    if (input.dataset.in === 'path') address = address.replace(`{${input.name}}`, encodeURIComponent(input.value))
    else if (input.value !== '') search.set(input.name, input.value)
  }
  const [file] = form.elements.file?.files ?? []
  const body = file ?? form.elements.body?.value
  const type = file ? file.type || 'application/octet-stream' : 'application/json'
  return {
    url: `${address}${search.size > 0 ? `?${search}` : ''}`,
    method: form.dataset.method,
    credentials: 'omit',
    headers: { ...authorization(), ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  }
}

/** Asks before a request that writes to the live calendar. */
async function isConfirmed({ method, url }) {
  document.querySelector('#confirm-request').textContent = `${method} ${url}`
  dialog.returnValue = ''
  dialog.showModal()
  await new Promise((closed) => dialog.addEventListener('close', closed, { once: true }))
  return dialog.returnValue === 'send'
}

async function send(form) {
  const { url, ...options } = requestOf(form)
  if ('writes' in form.dataset && !(await isConfirmed({ ...options, url }))) return
  const shown = form.querySelector('.answer')
  const [status, text] = [shown.querySelector('[role=status]'), shown.querySelector('code')]
  shown.hidden = false
  try {
    const response = await fetch(url, options)
    const body = await response.text()
    text.textContent = /json/.test(response.headers.get('content-type') ?? '')
      ? JSON.stringify(JSON.parse(body), null, 2)
      : body
    status.textContent = `${response.status} ${response.statusText} · ${options.method} ${url}`
  } catch (error) {
    text.textContent = ''
    status.textContent = String(error)
  }
}

for (const form of document.querySelectorAll('.try')) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
}

// An operation can be linked to.
function openLinked() {
  const found = document.getElementById(location.hash.slice(1))
  if (!found?.matches('details')) return
  found.open = true
  found.scrollIntoView()
}
addEventListener('hashchange', openLinked)
openLinked()
