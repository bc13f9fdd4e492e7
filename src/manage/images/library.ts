import { list, type UsedImage } from '../../domain/image-library.ts'
import * as images from '../../domain/images.ts'
import { type Answer, MAIN_MOUNT } from '../../http/endpoint.ts'
import { AppError, type Problem } from '../../lib/errors.ts'
import { html, type Markup } from '../../lib/markup.ts'
import { problemText } from '../../lib/problem-text.ts'
import { Upload } from '../../lib/upload.ts'
import { pager } from '../../pages/controls.ts'
import { icon } from '../../pages/icons.ts'
import { button, type FormState, formStart, frame, marks, messageOf } from '../form.ts'
import { smallOf } from '../image-field.ts'
import { SECTIONS, screenPage, sectionPath } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'

const PATH = sectionPath('images')
const PER_PAGE = 24

/** Limit on files of one form. */
const MAX_FILES = 50

export const ACCEPTED = 'image/jpeg,image/png,image/gif,image/webp,image/avif'

async function page(context: StaffContext, problem: Problem | null = null): Promise<Answer> {
  const { call, t, link, count, rights } = context
  const search = call.search.get('search') ?? ''
  const found = await read(context, search)
  const address = (number: number) =>
    `${PATH}?${new URLSearchParams([...(search === '' ? [] : [['search', search]]), ['page', String(number)]])}`
  const main = html`${rights.publish && uploadForm(context, problem)}
<search><form class="table-filters" method="get" action="${link(PATH)}"><div class="find">${icon('search')}<label class="unseen" for="field-search">${t('manage_screens.records.search')}</label><input id="field-search" type="search" name="search" value="${search}" placeholder="${t('manage_screens.records.search')}" dir="auto"><button class="button" type="submit">${t('filters.find')}</button></div></form></search>
<p class="quiet" role="status">${count('manage_screens.images.found', found.total)}</p>
${found.images.length === 0 ? empty(context, search) : html`<ul class="gallery">${found.images.map((one) => item(context, one))}</ul>`}
${pager(context, found.page, Math.ceil(found.total / found.perPage), address)}`
  return screenPage(context, {
    section: 'images',
    title: t('manage_screens.sections.images'),
    main,
    ...(problem && { status: 400 }),
  })
}

async function read({ call }: StaffContext, search: string): ReturnType<typeof list> {
  try {
    return await list(call.scope, () => ({ search, page: call.search.get('page') ?? '', per_page: PER_PAGE }))
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return { images: [], total: 0, page: 1, perPage: PER_PAGE }
  }
}

function empty({ t, link }: StaffContext, search: string): Markup {
  const clear = html`<p><a class="button" href="${link(PATH)}">${t('filters.clear')}</a></p>`
  return html`<div class="empty"><p>${t(`manage_screens.images.${search === '' ? 'none' : 'none_found'}`)}</p>${search !== '' && clear}</div>`
}

function item(context: StaffContext, { image, uses }: UsedImage): Markup {
  const { t, link, count } = context
  const small = smallOf(image)
  const used = uses === 0 ? t('manage_screens.images.unused') : count('manage_screens.images.uses', uses)
  const title = t('manage_screens.images.title', { id: image.id })
  const words = image.alt || image.name || title
  return html`<li><a href="${link(`${PATH}/${image.id}`)}"><img src="${link(`/images/${small.file}`)}" alt="" width="${small.width}" height="${small.height}" loading="lazy"><span dir="auto">${words}</span></a>
<span class="quiet">${words !== title && html`${title} · `}${used}</span>${image.alt === '' && html` <span class="mark mark-pending">${t('manage_screens.images.no_alt')}</span>`}</li>`
}

/** Form for several files. A script sends them one by one, and shows how far it is. */
function uploadForm(context: StaffContext, problem: Problem | null): Markup {
  const { t, link } = context
  const form: FormState = { values: {}, problems: problem === null ? {} : { file: problem } }
  const options = { name: 'file', label: t('manage_screens.images.add'), hint: t('manage_screens.images.several') }
  const input = html`<input id="field-file" type="file" name="file" multiple required accept="${ACCEPTED}"${marks(form, options)}>`
  return html`${formStart(context, PATH, html` enctype="multipart/form-data" class="form box uploads" data-upload="${link(`${MAIN_MOUNT}/images`)}" data-failed="${t('manage_screens.images.failed')}"`)}
${frame(context, form, options, input)}
<div class="buttons">${button('upload', t('manage_screens.images.upload'), 'primary')}</div>
<ul class="progress" aria-live="polite"></ul></form>`
}

/** Stores each file. Those that are refused are named; the others are there. */
async function upload(context: StaffContext): Promise<Answer> {
  const { call, language } = context
  const { file } = call.body()
  const files = (Array.isArray(file) ? file : [file]).filter((one) => one instanceof Upload)
  if (files.length === 0) return page(context, { problem: 'missing' })
  if (files.length > MAX_FILES) return page(context, { problem: 'too_many', most: MAX_FILES })
  const refused: string[] = []
  for (const one of files) {
    try {
      await images.create(call.scope, async () => one)
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error
      const { file: reason } = error.details.params ?? {}
      refused.push(`${one.name}: ${reason ? problemText(language, reason) : messageOf(context, error)}`)
    }
  }
  if (refused.length > 0) return page(context, { problem: 'failed', message: refused.join(' ') })
  return done(context, PATH, 'uploaded')
}

const shared = { allows: SECTIONS.images, upload: true, actions: { upload } } as const

export const imageLibrary: Screen = {
  ...shared,
  path: '/images',
  parameters: ['search', 'page'],
  show: (context) => page(context),
}

/** The form alone. */
export const newImage: Screen = {
  ...shared,
  path: '/images/new',
  allows: ({ publish }) => publish,
  async show(context) {
    const title = context.t('manage_screens.images.add')
    const back = { path: PATH, words: context.t('manage_screens.sections.images') }
    return screenPage(context, { section: 'images', title, back, main: uploadForm(context, null) })
  },
}
