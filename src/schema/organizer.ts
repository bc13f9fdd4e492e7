import { declare } from './field.ts'
import { recordFields } from './record.ts'
import * as types from './value-types.ts'

/** Fields of organizers. */
export const organizerFields = {
  ...declare('organizer', {
    organizer: { kind: types.name, required: true, stored: true, searched: true, sample: 'Jazz Guild' },
  }),
  ...recordFields,
  ...declare('organizer', {
    phone: { kind: types.text, stored: true, searched: true },
    website: { kind: types.url, stored: true, searched: true, sample: 'https://guild.example.org' },
    email: { kind: types.email, stored: true, searched: true, sample: 'info@guild.example.org' },
  }),
} as const
