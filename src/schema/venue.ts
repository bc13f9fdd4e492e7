import { declare } from './field.ts'
import { recordFields } from './record.ts'
import * as types from './value-types.ts'

/** A place where events happen. */
export const venueFields = {
  ...declare('venue', {
    venue: { kind: types.name, required: true, stored: true, searched: true },
  }),
  ...recordFields,
  ...declare('venue', {
    address: { kind: types.text, stored: true, searched: true },
    city: { kind: types.text, stored: true, searched: true },
    country: { kind: types.text, stored: true, searched: true },
    province: { kind: types.text, stored: true, searched: true },
    state: { kind: types.text, stored: true, searched: true },
    stateprovince: { kind: types.text, stored: true, searched: true },
    zip: { kind: types.text, stored: true, searched: true },
    phone: { kind: types.text, stored: true, searched: true },
    website: { kind: types.url, stored: true, searched: true },
    geo_lat: { kind: types.degrees(90), stored: true },
    geo_lng: { kind: types.degrees(180), stored: true },
    show_map: { kind: types.flag, default: true, stored: true },
    show_map_link: { kind: types.flag, default: true, stored: true },
  }),
} as const
