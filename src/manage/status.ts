import type { EventRow } from '../domain/events.ts'
import { html, type Markup } from '../lib/markup.ts'
import { say } from '../pages/dates.ts'
import type { Status } from '../schema/record.ts'
import type { StaffContext } from './screen.ts'

/** Name of a status in the language of the reader. */
export function statusName({ t }: StaffContext, status: Status): string {
  return t(`manage_screens.status.${status}`)
}

/** A small mark beside a title. Published is the rule, and has none. */
export function statusMark(context: StaffContext, status: Status): Markup | null {
  return status === 'publish' ? null : html`<span class="mark mark-${status}">${statusName(context, status)}</span>`
}

/** Start of an event in one line of a table. */
export function whenIn(context: StaffContext, { start_local, all_day }: EventRow): string {
  return say(context, start_local, all_day === 1 ? 'shortYear' : 'dayYearTime')
}
