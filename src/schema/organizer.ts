import { declare } from './field.ts'
import * as kinds from './kinds.ts'
import { recordFields } from './record.ts'

/** Who holds events. */
export const organizerFields = {
  ...declare('organizer', {
    organizer: { kind: kinds.name, required: true, stored: true, searched: true },
  }),
  ...recordFields,
  ...declare('organizer', {
    phone: { kind: kinds.text, stored: true, searched: true },
    website: { kind: kinds.url, stored: true, searched: true },
    email: { kind: kinds.email, stored: true, searched: true },
  }),
} as const
