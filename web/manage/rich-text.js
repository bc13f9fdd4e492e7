// Rich text in place of a textarea. The service cleans what is sent, whatever stands here.

const UNSAFE = 'script, style, iframe, object, embed, link, meta, form, input, button, svg, math'
const ATTRIBUTES = new Set([
  'href',
  'src',
  'alt',
  'title',
  'colspan',
  'rowspan',
  'dir',
  'lang',
  'start',
  'width',
  'height',
])

function clean(html) {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const element of body.querySelectorAll(UNSAFE)) element.remove()
  for (const element of body.querySelectorAll('*'))
    for (const { name } of [...element.attributes]) if (!ATTRIBUTES.has(name)) element.removeAttribute(name)
  const fragment = document.createDocumentFragment()
  fragment.append(...body.childNodes)
  return document.importNode(fragment, true)
}

for (const area of document.querySelectorAll('textarea[data-rich]')) {
  import(area.dataset.rich).then(({ default: Squire }) => edit(area, Squire))
}

function edit(area, Squire) {
  const root = document.createElement('div')
  const label = area.closest('.field').querySelector('label')
  label.id ||= `${area.id}-label`
  root.className = 'rich prose'
  root.dir = 'auto'
  root.setAttribute('role', 'textbox')
  root.setAttribute('aria-multiline', 'true')
  root.setAttribute('aria-labelledby', label.id)
  const described = area.getAttribute('aria-describedby')
  if (described) root.setAttribute('aria-describedby', described)
  const editor = new Squire(root, { blockTag: 'P', sanitizeToDOMFragment: clean })
  area.after(root)
  const isFocused = document.activeElement === area
  area.hidden = true
  label.addEventListener('click', () => root.focus())
  let known
  const show = () => {
    editor.setHTML(area.value)
    known = editor.getHTML()
  }
  show()
  if (isFocused) root.focus()
  area.addEventListener('restored', show)
  // The editor also tells of attributes that helpers for writing set, and of what was put there by setHTML.
  editor.addEventListener('input', () => {
    if (editor.getHTML() === known) return
    known = editor.getHTML()
    const isEmpty = root.textContent.trim() === '' && root.querySelector('img, hr, table') === null
    area.value = isEmpty ? '' : known
    area.dispatchEvent(new CustomEvent('input', { bubbles: true, detail: true }))
  })
  addTools(area, root, editor)
}

function addTools(area, root, editor) {
  const words = JSON.parse(area.dataset.tools)
  const bar = document.createElement('div')
  bar.className = 'tools-bar'
  bar.setAttribute('role', 'toolbar')
  bar.setAttribute('aria-label', words.label)
  const within = (tag) => editor.hasFormat(tag)
  const toggleBlock = (tag) => {
    const isOn = within(tag)
    editor.modifyBlocks((fragment) => {
      for (const block of [...fragment.children]) {
        if (!/^(P|H2|H3|DIV)$/.test(block.nodeName)) continue
        const made = document.createElement(isOn ? 'p' : tag)
        made.append(...block.childNodes)
        block.replaceWith(made)
      }
      return fragment
    })
  }
  const link = () => {
    if (within('A')) return editor.removeLink()
    const address = prompt(words.address, 'https://')
    if (address && /^(https?:|mailto:)/i.test(address)) editor.makeLink(address)
  }
  const actions = {
    bold: ['B', () => (within('B') ? editor.removeBold() : editor.bold())],
    italic: ['I', () => (within('I') ? editor.removeItalic() : editor.italic())],
    heading: ['H2', () => toggleBlock('H2')],
    list: ['UL', () => (within('UL') ? editor.removeList() : editor.makeUnorderedList())],
    numbers: ['OL', () => (within('OL') ? editor.removeList() : editor.makeOrderedList())],
    quote: ['BLOCKQUOTE', () => (within('BLOCKQUOTE') ? editor.decreaseQuoteLevel() : editor.increaseQuoteLevel())],
    link: ['A', link],
  }
  const buttons = Object.entries(actions).map(([name, [tag, act]], at) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = words[name]
    button.className = `tool-${name}`
    button.tabIndex = at === 0 ? 0 : -1
    button.setAttribute('aria-pressed', 'false')
    button.addEventListener('click', () => {
      act()
      root.focus()
      update()
    })
    bar.append(button)
    return { button, tag }
  })
  const update = () => {
    for (const { button, tag } of buttons) button.setAttribute('aria-pressed', String(within(tag)))
  }
  editor.addEventListener('pathChange', update)
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const at = buttons.findIndex(({ button }) => button === document.activeElement)
    const next = buttons[(at + step + buttons.length) % buttons.length].button
    for (const { button } of buttons) button.tabIndex = button === next ? 0 : -1
    next.focus()
  })
  root.before(bar)
}
