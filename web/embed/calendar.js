import { linkColour, schemeOf } from './colours.js'
import { writerOf } from './days.js'
import { bones, make } from './elements.js'
import { showList } from './list.js'
import { Month } from './month.js'
import { ask, Refusal } from './service.js'
import { chooseLanguage, localeOf, TEXTS } from './texts.js'

/**
 * What a view works with.
 * @typedef {object} Context
 * @property {HTMLElement} body
 * @property {string} base
 * @property {import('./days.js').Writer} write
 * @property {(name: string) => string} option
 * @property {(key: import('./texts.js').TextKey, fill?: Record<string, string | number>) => string} text
 * @property {(count: number) => string} counted
 * @property {(text: string) => void} say
 * @property {(query: Record<string, string>) => Promise<import('./service.js').Page>} ask
 * @property {() => Promise<void>} show
 */

export const OPTIONS = 'view,category,tag,venue,organizer,search,featured,limit,language,theme,accent'.split(',')
const STYLE = '/* style.css */'

/** A page may have other colours in the dark. */
const dark = matchMedia('(prefers-color-scheme: dark)')

/** @type {CSSStyleSheet | undefined} */
let sheet

/** One stylesheet for all calendars of a page; one that is made by a script passes a page's policy, where a style element would not. */
function sharedSheet() {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
  }
  return sheet
}

/** The address of the service that the script came from, with a slash at its end. */
const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null
const home = script === null ? `${location.origin}/` : new URL('.', script.src).href

export class Calendar extends HTMLElement {
  static observedAttributes = [...OPTIONS, 'base']
  #work = new AbortController()
  #root = make('div', { class: 'root', role: 'group', dir: 'ltr' })
  #body = make('div')
  #status = make('p', { class: 'hidden', role: 'status' })
  #waiting = false
  /** @type {Context | undefined} */
  #context
  /** @type {Month | undefined} */
  #month

  constructor() {
    super()
    const shadow = this.attachShadow({ mode: 'open' })
    shadow.adoptedStyleSheets = [sharedSheet()]
    this.#root.append(this.#body, this.#status)
    shadow.append(this.#root)
  }

  connectedCallback() {
    dark.addEventListener('change', this.#paint)
    this.#renew()
  }

  disconnectedCallback() {
    dark.removeEventListener('change', this.#paint)
    this.#work.abort()
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#renew()
  }

  /** @param {string} name */
  #option(name) {
    return this.getAttribute(name)?.trim() ?? ''
  }

  /** Begins anew with the options as they are now; several changes in a row are one. */
  #renew() {
    if (this.#waiting) return
    this.#waiting = true
    queueMicrotask(() => {
      this.#waiting = false
      if (!this.isConnected) return
      this.#paint()
      this.#context = this.#makeContext()
      this.#month = this.#option('view') === 'month' ? new Month(this.#context) : undefined
      this.#body.replaceChildren()
      void this.#show()
    })
  }

  /** Without a theme, the colours are those of the page: its words, and its links as the accent. */
  #paint = () => {
    const given = this.#option('theme')
    const theme = given === 'light' || given === 'dark' ? given : 'page'
    const { style, dataset } = this.#root
    dataset.theme = theme
    style.colorScheme = theme === 'page' ? schemeOf(this) : theme
    const accent = this.#option('accent')
    if (CSS.supports('color', accent)) style.setProperty('--accent', accent)
    else if (theme === 'page') style.setProperty('--accent', linkColour(this))
    else style.removeProperty('--accent')
  }

  /** In the language that is asked for, else that of the page, else the reader's. @returns {Context} */
  #makeContext() {
    const inPage = this.closest('[lang]')?.getAttribute('lang') ?? ''
    // The reader's region does not count: the service has one clock for all.
    const own = navigator.languages.map((tag) => tag.split('-')[0] ?? '')
    const [tag, language] = chooseLanguage([this.#option('language'), inPage, ...own])
    const locale = localeOf(tag, language)
    const plural = new Intl.PluralRules(locale)
    /** @type {Context['text']} */
    const text = (key, fill = {}) => TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => String(fill[name] ?? ''))
    const base = this.#option('base') || home
    this.#root.lang = language
    this.#root.setAttribute('aria-label', text('label'))
    return {
      body: this.#body,
      base,
      text,
      write: writerOf(locale),
      option: (name) => this.#option(name),
      counted: (count) => text(plural.select(count) === 'one' ? 'one' : 'many', { count }),
      say: (words) => {
        this.#status.textContent = words
      },
      ask: (query) => ask(this, base, language, query, this.#work.signal),
      show: () => this.#show(),
    }
  }

  /** Shows the view; whatever was under way before no longer counts. */
  async #show() {
    const context = this.#context
    if (context === undefined) return
    this.#work.abort()
    const work = new AbortController()
    this.#work = work
    this.#root.setAttribute('aria-busy', 'true')
    try {
      if (this.#month !== undefined) await this.#month.show()
      else await this.#showList(context)
    } catch (error) {
      if (!work.signal.aborted) this.#drawFailure(context, error instanceof Refusal ? error.message : '')
    }
    if (this.#work === work) this.#root.removeAttribute('aria-busy')
  }

  /** @param {Context} context */
  async #showList(context) {
    context.say(context.text('loading'))
    this.#body.replaceChildren(bones(4))
    await showList(context)
  }

  /** @param {Context} context @param {string} reason */
  #drawFailure({ text, say }, reason) {
    const retry = make('button', { type: 'button', click: () => this.#show() }, text('retry'))
    const reasons = reason !== '' && make('p', { class: 'quiet' }, reason)
    this.#body.replaceChildren(make('div', { class: 'note' }, make('p', {}, text('failed')), reasons, retry))
    say(`${text('failed')} ${reason}`)
  }
}

if (customElements.get('kalends-calendar') === undefined) customElements.define('kalends-calendar', Calendar)

// A script in the body puts a calendar where it stands; one in the head only makes the element known.
if (script?.closest('body')) {
  const element = document.createElement('kalends-calendar')
  element.setAttribute('base', home)
  for (const name of OPTIONS) {
    const value = script.getAttribute(`data-${name}`)
    if (value !== null) element.setAttribute(name, value)
  }
  script.after(element)
}
