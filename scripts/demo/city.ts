/** Port Lorcan, a harbour city that does not exist. Whoever looks for its streets will find fields and sea. */
export const CITY = {
  name: 'Port Lorcan',
  country: 'Ireland',
  timezone: 'Europe/Dublin',
  currency: '€',
  /** The market cross, from which the districts are laid out. */
  centre: { lat: 52.1312, lng: -7.4386 },
} as const

/** Districts, with the way from the market cross in metres east and north; the sea is in the south, the river in the middle. */
export const DISTRICTS = {
  'Old Harbour': { east: 150, north: -620, zip: 'X98', spread: 330 },
  'Market Quarter': { east: -80, north: 60, zip: 'X98', spread: 320 },
  'Weavers’ Mile': { east: -1050, north: 240, zip: 'X98', spread: 420 },
  'University Hill': { east: 780, north: 1150, zip: 'X99', spread: 450 },
  Northgate: { east: -340, north: 1480, zip: 'X99', spread: 480 },
  Glassworks: { east: 1250, north: -180, zip: 'X98', spread: 380 },
  'Castle Park': { east: -1250, north: 1150, zip: 'X99', spread: 480 },
  Strandside: { east: 1900, north: -760, zip: 'X97', spread: 520 },
  'Lighthouse Point': { east: 2750, north: -1250, zip: 'X97', spread: 300 },
  Millbrook: { east: 520, north: 2450, zip: 'X99', spread: 620 },
} as const
export type District = keyof typeof DISTRICTS

/** What a venue is good for. */
export type PlaceKind =
  | 'concert'
  | 'club'
  | 'pub'
  | 'theatre'
  | 'cinema'
  | 'gallery'
  | 'museum'
  | 'library'
  | 'church'
  | 'hall'
  | 'campus'
  | 'workshop'
  | 'kitchen'
  | 'square'
  | 'park'
  | 'water'
  | 'sport'
  | 'studio'
  | 'start'

export interface Place {
  readonly name: string
  readonly kind: PlaceKind
  readonly district: District
  readonly street: string
  readonly about: string
}
