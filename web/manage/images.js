// The library of images: a dialog to choose one of them, and uploads that show how far they are.

const csrfOf = (form) => form.querySelector('[name=csrf]').value

for (const form of document.querySelectorAll('form[data-upload]')) {
  const input = form.querySelector('input[type=file]')
  const list = form.querySelector('.progress')
  const line = (file) => {
    const item = document.createElement('li')
    const name = document.createElement('span')
    const bar = document.createElement('progress')
    name.textContent = file.name
    name.dir = 'auto'
    bar.max = 1
    bar.value = 0
    bar.setAttribute('aria-label', file.name)
    item.append(name, bar)
    list.append(item)
    return { item, bar }
  }
  // One after the other: together they might be larger than a request may be.
  const send = (file) =>
    new Promise((resolve) => {
      const { item, bar } = line(file)
      const fail = (words) => {
        const problem = document.createElement('span')
        problem.className = 'problem'
        problem.textContent = words || form.dataset.failed
        bar.replaceWith(problem)
        item.classList.add('failed')
        resolve(false)
      }
      const body = new FormData()
      body.append('file', file)
      const request = new XMLHttpRequest()
      request.open('POST', form.dataset.upload)
      request.setRequestHeader('X-CSRF-Token', csrfOf(form))
      request.setRequestHeader('Accept', 'application/json')
      request.responseType = 'json'
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        bar.value = loaded / total
      })
      request.addEventListener('error', () => fail(''))
      request.addEventListener('load', () => {
        if (request.status === 201) {
          bar.value = 1
          return resolve(true)
        }
        const { data, message } = request.response ?? {}
        fail(data?.params?.file ?? message)
      })
      request.send(body)
    })
  form.addEventListener('submit', async (event) => {
    if (input.files.length === 0) return
    event.preventDefault()
    const button = form.querySelector('[value=upload]')
    button.disabled = true
    list.replaceChildren()
    let failed = 0
    for (const file of input.files) if (!(await send(file))) failed++
    button.disabled = false
    input.value = ''
    if (failed === 0) location.assign(`${form.getAttribute('action')}?done=uploaded`)
  })
}

for (const place of document.querySelectorAll('[data-library]')) library(place)

function library(place) {
  const form = place.closest('form')
  const number = place.querySelector('[name=image]')
  const zone = place.closest('[data-drop]')
  const { rest, choose, close, find, title } = place.dataset
  const dialog = document.createElement('dialog')
  const search = document.createElement('input')
  const done = document.createElement('button')
  const list = document.createElement('ul')
  const opener = document.createElement('button')
  dialog.className = 'chooser'
  dialog.setAttribute('aria-label', choose)
  search.type = 'search'
  search.placeholder = find
  search.setAttribute('aria-label', find)
  done.type = opener.type = 'button'
  done.className = opener.className = 'button'
  done.textContent = close
  opener.textContent = choose
  list.className = 'gallery'
  dialog.append(search, done, list)
  // The number stays a field of the form, which the dialog fills.
  place.querySelector('a').replaceWith(opener)
  number.closest('.field').hidden = true
  document.body.append(dialog)

  const take = (image) => {
    number.value = image.id
    const shown = zone.querySelector('img') ?? zone.insertBefore(new Image(), zone.firstChild)
    const small = image.sizes.medium ?? image.sizes.thumbnail ?? image
    shown.width = small.width
    shown.height = small.height
    shown.alt = image.alt
    shown.src = small.url
    const file = zone.querySelector('input[type=file]')
    file.value = ''
    const alt = form.querySelector('[name=image_alt]')
    if (alt) alt.value = image.alt
    number.dispatchEvent(new Event('input', { bubbles: true }))
    dialog.close()
    opener.focus()
  }
  const item = (image) => {
    const entry = document.createElement('li')
    const button = document.createElement('button')
    const picture = new Image()
    const words = document.createElement('span')
    const small = image.sizes.medium ?? image.sizes.thumbnail ?? image
    picture.src = small.url
    picture.width = small.width
    picture.height = small.height
    picture.alt = ''
    picture.loading = 'lazy'
    words.textContent = image.alt || title.replace('{id}', image.id)
    words.dir = 'auto'
    button.type = 'button'
    button.append(picture, words)
    button.addEventListener('click', () => take(image))
    entry.append(button)
    return entry
  }
  let asked = null
  const show = async () => {
    const text = search.value.trim()
    if (asked === text) return
    asked = text
    const address = `${rest}/images?per_page=24&search=${encodeURIComponent(text)}`
    const response = await fetch(address, { headers: { 'X-CSRF-Token': csrfOf(form) } })
    if (!response.ok || asked !== text) return
    const { images } = await response.json()
    list.replaceChildren(...images.map(item))
  }
  let timer
  search.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(show, 150)
  })
  done.addEventListener('click', () => dialog.close())
  opener.addEventListener('click', () => {
    asked = null
    show()
    dialog.showModal()
  })
}
