import { declare } from './field.ts'
import * as kinds from './kinds.ts'
import { recordFields } from './record.ts'

/** A place where events happen. */
export const venueFields = {
  ...declare('venue', {
    venue: { kind: kinds.name, required: true, stored: true, searched: true },
  }),
  ...recordFields,
  ...declare('venue', {
    address: { kind: kinds.text, stored: true, searched: true },
    city: { kind: kinds.text, stored: true, searched: true },
    country: { kind: kinds.text, stored: true, searched: true },
    province: { kind: kinds.text, stored: true, searched: true },
    state: { kind: kinds.text, stored: true, searched: true },
    stateprovince: { kind: kinds.text, stored: true, searched: true },
    zip: { kind: kinds.text, stored: true, searched: true },
    phone: { kind: kinds.text, stored: true, searched: true },
    website: { kind: kinds.url, stored: true, searched: true },
    geo_lat: { kind: kinds.degrees(90), stored: true },
    geo_lng: { kind: kinds.degrees(180), stored: true },
    show_map: { kind: kinds.flag, default: true, stored: true },
    show_map_link: { kind: kinds.flag, default: true, stored: true },
  }),
} as const
