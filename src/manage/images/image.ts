import { mayEdit } from '../../domain/access.ts'
import { type ImageUse, usesOf } from '../../domain/image-library.ts'
import * as images from '../../domain/images.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError, type Problems } from '../../lib/errors.ts'
import { html, type Markup, type MarkupPart } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { button, formStart, messageOf, problemsOf, summary, textArea, typedValues } from '../form.ts'
import { SECTIONS, screenPage, sectionPath } from '../layout.ts'
import { done, type Screen, type StaffContext } from '../screen.ts'
import { statusMark } from '../status.ts'

const PATH = sectionPath('images')

async function show(context: StaffContext): Promise<Answer> {
  const { call } = context
  const image = await images.get(call.scope, call.id)
  return page(context, image, { values: { alt: image.alt }, problems: {} })
}

async function page(
  context: StaffContext,
  image: images.Image,
  form: { values: Record<string, string>; problems: Problems },
): Promise<Answer> {
  const { t, link, call } = context
  const { total, records } = await usesOf(call.scope, image.id)
  const mayChange = images.mayChange(call.scope, image)
  const shown = image.sizes.large ?? image
  const label = (name: string) => t(`manage_screens.images.${name}`)
  const attributes = html` maxlength="500"${!mayChange && html` disabled`}`
  const alt = textArea(context, form, { name: 'alt', hint: label('alt_hint'), class: 'roomy', attributes }, 3)
  const remove = total === 0 && button('delete', t('manage_screens.editor.delete'), 'danger', html` formnovalidate`)
  const main = html`<div class="split"><div><figure class="shown"><img src="${link(`/images/${shown.file}`)}" alt="${image.alt}" width="${shown.width}" height="${shown.height}"></figure>
<p class="quiet">${image.width} × ${image.height}, ${image.extension.toUpperCase()}, ${size(context, image.filesize)}${image.name !== '' && html` · <bdi>${image.name}</bdi>`} · <a href="${link(`/images/${image.file}`)}">${label('full')}</a></p></div>
<div class="panels">${formStart(context, `${PATH}/${image.id}`, html` class="form box"`)}${summary(context, form, ['alt', 'do'])}${alt}
${mayChange ? html`<div class="buttons">${button('save', t('manage_screens.editor.save'), 'primary')}${remove}</div>${total > 0 && html`<p class="hint">${label('in_use')}</p>`}` : html`<p class="hint">${label('of_another')}</p>`}</form>
${usesBox(context, total, records)}</div></div>`
  return screenPage(context, {
    section: 'images',
    title: image.name || t('manage_screens.images.title', { id: image.id }),
    back: { path: PATH, words: t('manage_screens.sections.images') },
    main,
    ...(Object.keys(form.problems).length > 0 && { status: 400 }),
  })
}

function size({ locale }: StaffContext, bytes: number): string {
  const kilobytes = Math.max(1, Math.round(bytes / 1000))
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte' }).format(kilobytes)
}

/** The records that show it. Others, which the user may not see, are only counted. */
function usesBox(context: StaffContext, total: number, records: readonly ImageUse[]): Markup {
  const { t, count } = context
  const more = total - records.length
  const list: MarkupPart =
    total === 0
      ? html`<p class="quiet">${t('manage_screens.images.unused')}</p>`
      : html`<ul class="lines">${records.map((use) => line(context, use))}</ul>${more > 0 && html`<p class="quiet">${count('manage_screens.images.hidden', more)}</p>`}`
  return html`<section class="box"><h2>${t('manage_screens.records.used')}</h2>${list}</section>`
}

function line(context: StaffContext, use: ImageUse): Markup {
  const { call, link } = context
  const isEditable = mayEdit(call.scope.user, use)
  const path = isEditable ? `/manage/${use.kind}s/${use.id}` : `/${use.kind}/${use.slug}/`
  const symbol = use.kind === 'event' ? 'calendar' : use.kind === 'venue' ? 'pin' : 'people'
  return html`<li>${icon(symbol)} <a href="${link(path)}" dir="auto">${use.name}</a> ${statusMark(context, use.status)}</li>`
}

/** Changes the alternative text. Other fields are not sent. */
async function save(context: StaffContext): Promise<Answer> {
  const { call } = context
  const { alt } = call.body()
  return attempt(context, async () => {
    await images.update(call.scope, call.id, () => (alt === undefined ? {} : { alt }))
    return done(context, `${PATH}/${call.id}`, 'saved')
  })
}

async function remove(context: StaffContext): Promise<Answer> {
  return attempt(context, async () => {
    await images.remove(context.call.scope, context.call.id, () => ({}))
    return done(context, PATH, 'deleted')
  })
}

/** Does an action, or shows the form again with the problem. */
async function attempt(context: StaffContext, work: () => Promise<Answer>): Promise<Answer> {
  const { call } = context
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || (error.status !== 400 && error.status !== 409)) throw error
    const image = await images.get(call.scope, call.id)
    const problems = problemsOf(error)
    const failed = { do: { problem: 'failed', message: messageOf(context, error) } }
    const values = { alt: image.alt, ...typedValues(call.body()) }
    return page(context, image, { values, problems: Object.keys(problems).length > 0 ? problems : failed })
  }
}

export const imageScreen: Screen = {
  path: '/images/:id',
  allows: SECTIONS.images,
  show,
  actions: { save, delete: remove },
}
