import { rightsOf } from '../domain/access.ts'
import type { Image } from '../domain/images.ts'
import { MAIN_MOUNT } from '../http/endpoint.ts'
import type { Problems } from '../lib/errors.ts'
import { html, type Markup } from '../lib/markup.ts'
import { DescribedImage, Upload } from '../lib/upload.ts'
import { type FormState, field, frame, INVALID } from './form.ts'
import type { StaffContext } from './screen.ts'

/** The smallest rendering of an image that fills a box of a list. */
export function smallOf(image: Image): { readonly file: string; readonly width: number; readonly height: number } {
  return image.sizes.medium ?? image.sizes.thumbnail ?? image
}

/**
 * The image of a record: a file, or the number of one in the library, with its alternative text. A script replaces the
 * number by a dialog.
 */
export function imageField(context: StaffContext, form: FormState, image: Image | null): Markup {
  const { t, call, link } = context
  if (!rightsOf(call.scope.user).publish)
    return html`<input type="hidden" name="image" value="${form.values.image ?? ''}">`
  const small = image && smallOf(image)
  const label = t('manage_screens.fields.image')
  const problem = form.problems.image_file ?? form.problems.image
  const problems: Problems = problem === undefined ? {} : { image_file: problem }
  const number = field(context, form, {
    name: 'image',
    label: t('manage_screens.images.number'),
    attributes: html` inputmode="numeric" autocomplete="off"`,
  })
  return html`${frame(
    context,
    { values: form.values, problems },
    { name: 'image_file', label, hint: t('manage_screens.editor.image_hint') },
    html`<div class="picture" data-drop>${small && html`<img src="${link(`/images/${small.file}`)}" alt="${image?.alt}" width="${small.width}" height="${small.height}">`}
<input id="field-image_file" type="file" name="image_file" accept="image/jpeg,image/png,image/gif,image/webp,image/avif" aria-describedby="${problem ? 'problem-image_file ' : ''}hint-image_file"${problem && INVALID}>
<div class="library" data-library data-rest="${link(MAIN_MOUNT)}" data-choose="${t('manage_screens.images.choose')}" data-close="${t('manage_screens.images.close')}" data-title="${t('manage_screens.images.title', { id: '{id}' })}" data-find="${t('manage_screens.records.search')}"><a href="${link('/manage/images')}" target="_blank">${t('manage_screens.images.library')}</a>${number}</div>
${image && html`<label class="check"><input type="checkbox" name="remove_image" value="1"> ${t('manage_screens.editor.remove_image')}</label>`}</div>`,
  )}
${field(context, form, { name: 'image_alt', hint: t('manage_screens.images.alt_hint'), attributes: html` maxlength="500"` })}`
}

/**
 * The image of a sent form: a new file wins over the one that was chosen. Undefined if the form says nothing about it. The
 * text in the form describes the image that it was opened with: if only the image was changed, the text is not for it.
 */
export function imagePayload(fields: Readonly<Record<string, unknown>>, before: Image | null): unknown {
  const { image_file: file, image, image_alt: alt } = fields
  if (fields.remove_image && !(file instanceof Upload)) return 0
  const chosen = file instanceof Upload ? file : image === undefined ? before?.id : image === '' ? 0 : image
  if (chosen === undefined) return undefined
  const isAnother = String(chosen) !== String(before?.id)
  const isDescribed = typeof alt === 'string' && alt.trim() !== (before?.alt ?? '') && (alt.trim() !== '' || !isAnother)
  if (isDescribed && chosen !== 0) return new DescribedImage(chosen, alt)
  return file === undefined && image === undefined ? undefined : chosen
}
