import { declare } from './field.ts'
import { recordFields } from './record.ts'
import * as types from './value-types.ts'

/** Fields of venues. */
export const venueFields = {
  ...declare('venue', {
    venue: { kind: types.name, required: true, stored: true, searched: true, sample: 'Old Harbour' },
  }),
  ...recordFields,
  ...declare('venue', {
    address: { kind: types.text, stored: true, searched: true, sample: '1 Quai du Port' },
    city: { kind: types.text, stored: true, searched: true, sample: 'Marseille' },
    country: { kind: types.text, stored: true, searched: true, sample: 'France' },
    province: { kind: types.text, stored: true, searched: true },
    state: { kind: types.text, stored: true, searched: true },
    stateprovince: { kind: types.text, stored: true, searched: true },
    zip: { kind: types.text, stored: true, searched: true, sample: '13002' },
    phone: { kind: types.text, stored: true, searched: true },
    website: { kind: types.url, stored: true, searched: true },
    geo_lat: { kind: types.degrees(90), stored: true, sample: 43.2951 },
    geo_lng: { kind: types.degrees(180), stored: true, sample: 5.3739 },
    show_map: { kind: types.flag, default: true, stored: true },
    show_map_link: { kind: types.flag, default: true, stored: true },
  }),
} as const
