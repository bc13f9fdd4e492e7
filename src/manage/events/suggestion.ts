import { Readable } from 'node:stream'
import { mayEdit } from '../../domain/access.ts'
import * as events from '../../domain/events.ts'
import { pictureOf } from '../../domain/suggestion-review.ts'
import type { SuggestionRow } from '../../domain/suggestions.ts'
import { AppError } from '../../lib/errors.ts'
import { html, type MarkupPart } from '../../lib/markup.ts'
import { icon } from '../../pages/icons.ts'
import { SECTIONS } from '../layout.ts'
import type { Screen, StaffContext } from '../screen.ts'

/** Who suggested an event, for those who review it. */
export function suggestionBox(context: StaffContext, suggestion: SuggestionRow | null): MarkupPart {
  if (suggestion === null) return null
  const { t, link, call } = context
  const { event, sender_name, sender_email, picture } = suggestion
  const label = (name: string) => t(`manage_screens.review.${name}`)
  return html`<section class="box suggested"><h2>${label('title')}</h2>
<p dir="auto">${sender_name || label('nobody')}</p>
${sender_email !== '' && html`<p><a href="mailto:${sender_email}">${icon('mail')}${sender_email}</a></p>`}
${sender_email !== '' && call.scope.mail !== null && html`<p class="hint">${label('told')}</p>`}
${picture !== null && html`<img src="${link(`/manage/events/${event}/picture`)}" alt=""><p class="hint">${label('picture')}</p>`}</section>`
}

/** The picture of a suggestion. It is not public yet: only those who may edit the event see it. */
export const suggestedPicture: Screen = {
  path: '/events/:id/picture',
  allows: SECTIONS.events,
  async show({ call }) {
    const { row } = await events.peek(call.scope, { id: call.id })
    if (!mayEdit(call.scope.user, row)) throw new AppError('rest_forbidden')
    const picture = await pictureOf(call.scope, call.id)
    if (picture === null) throw new AppError('image-not-found')
    return {
      secret: true,
      headers: { 'content-type': picture.mime, 'content-security-policy': "default-src 'none'; sandbox" },
      body: Readable.from([picture.bytes]),
    }
  },
}
