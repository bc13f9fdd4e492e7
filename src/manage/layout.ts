import type { Rights } from '../domain/access.ts'
import type { Answer } from '../http/endpoint.ts'
import { html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import { icon } from '../pages/icons.ts'
import { answer, type Frame, logo } from '../pages/layout.ts'
import { signOutForm } from '../pages/staff-bar.ts'
import { byLinkedPlural } from '../schema/linked.ts'
import { MANAGE, type StaffContext } from './screen.ts'

/** Sections of the screens, with the rights that they need. Their names are the texts `manage_screens.sections.<name>`. */
export const SECTIONS = {
  overview: ({ create }) => create,
  events: ({ create }) => create,
  ...byLinkedPlural(
    () =>
      ({ create }: Rights) =>
        create,
  ),
  images: ({ create }) => create,
  categories: ({ category }) => category,
  tags: ({ tag }) => tag,
  imports: ({ edit }) => edit === 'all',
  users: ({ administer }) => administer,
  jobs: ({ administer }) => administer,
  audit: ({ administer }) => administer,
  settings: ({ administer }) => administer,
  account: () => true,
} as const satisfies Record<string, (rights: Rights) => boolean>

export type Section = keyof typeof SECTIONS

/** Path of a section below the base address. */
export function sectionPath(section: Section): string {
  return section === 'overview' ? MANAGE : `${MANAGE}/${section}`
}

/** Content of a screen. */
export interface ScreenPage {
  readonly section: Section
  readonly title: string
  /** Above the title: the way back to the list that the record is in. */
  readonly back?: { readonly path: string; readonly words: string }
  /** Beside the title, such as “New event”. */
  readonly tools?: MarkupPart
  readonly main: Markup
  readonly status?: number
}

/** Renders a screen. The query parameter `done` names what was done before, which is announced. */
export function screenPage(context: StaffContext, page: ScreenPage): Answer {
  const { section, title, back, tools, main, status } = page
  const heading = html`${back && html`<p class="back"><a href="${context.link(back.path)}">${icon('back')}${back.words}</a></p>\n`}<div class="heading"><h1 dir="auto">${title}</h1>${tools}</div>`
  return answer(
    context,
    {
      title,
      path: context.call.path.split('?')[0] ?? '',
      main: html`<div class="wide">${notice(context)}${heading}
${main}</div>`,
      hidden: true,
      secret: true,
      ...(status !== undefined && { status }),
    },
    frameOf(section),
  )
}

function notice({ call, t }: StaffContext): Markup {
  const key = new URLSearchParams(call.sent).get('done') ?? ''
  const text = /^[a-z_]{1,30}$/.test(key) ? t(`manage_screens.done.${key}`) : ''
  return text === '' || text.endsWith(`.${key}`)
    ? safe('')
    : html`<p class="notice" role="status">${icon('check')}${text}</p>\n`
}

function frameOf(section: Section): Frame {
  return {
    header: (context) => header(context as StaffContext, section),
    footer: () => safe(''),
    styles: ['manage.css'],
    scripts: ['screens.js', 'drafts.js', 'complete.js', 'rich-text.js', 'images.js', 'repeat.js'],
    // A chosen picture is shown before it is sent.
    images: ['blob:'],
    policy: "; connect-src 'self'",
  }
}

function header(context: StaffContext, current: Section): Markup {
  const { t, link, rights } = context
  const open = (Object.keys(SECTIONS) as Section[]).filter((section) => SECTIONS[section](rights))
  const item = (section: Section) =>
    html`<li><a href="${link(sectionPath(section))}"${section === current && safe(' aria-current="page"')}>${t(`manage_screens.sections.${section}`)}</a></li>\n`
  return html`<header class="top manage"><div class="wide">
<a class="brand" href="${link('/')}">${logo(context)}<span dir="auto">${context.call.scope.site.name}</span></a>
${signOutForm(context)}
<nav aria-label="${t('manage')}"><ul>
${open.map(item)}</ul></nav>
</div></header>`
}
