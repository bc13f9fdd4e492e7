import { declare, Refused, readFields, type Values, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import * as types from './value-types.ts'

/** What admits to an event. */
export const ticketFields = declare('ticket', {
  id: { kind: types.id },
  name: { kind: types.name, required: true },
  price: { kind: types.amount },
  currency: { kind: types.currency },
  url: { kind: types.url },
  capacity: { kind: types.integer(0) },
  available_from: { kind: types.date },
  available_until: { kind: types.date },
})

export type TicketValue = Values<typeof ticketFields>

const MAX_TICKETS = 50

/** The tickets of an event; a ticket with the id of one that the event has stays that one. */
export const tickets: ValueType<TicketValue[]> = {
  type: 'array',
  schema: Type.Array(
    Type.Object(
      Object.fromEntries(
        Object.entries(ticketFields).map(([name, field]) => [
          name,
          'required' in field
            ? field.kind.schema
            : Type.Optional(Type.Union([field.kind.schema, ...(field.kind.accepts ?? []), Type.Null()])),
        ]),
      ),
    ),
    { maxItems: MAX_TICKETS },
  ),
  read(raw, reading) {
    if (!Array.isArray(raw) || raw.some((item) => typeof item !== 'object' || item === null || Array.isArray(item)))
      throw new Refused('not_a_list_of_data')
    if (raw.length > MAX_TICKETS) throw new Refused('too_many', { most: MAX_TICKETS })
    return raw.map((item) => {
      const { values, problems } = readFields(ticketFields, item, { mode: 'create', reading })
      if (Object.keys(problems).length > 0) throw new Refused('bad_data', { details: problems })
      return values
    })
  },
}
