import type { Zone } from '../../src/calendar/zone.ts'

/** Twenty zones: both hemispheres, half hours, rules that changed, that depend on the moon, and none at all. */
export const VARIED_ZONES: readonly Zone[] = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Caracas',
  'America/New_York',
  'America/Nuuk',
  'America/Santiago',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Europe/Dublin',
  'Europe/Lisbon',
  'Europe/Moscow',
  'Pacific/Apia',
  'Pacific/Auckland',
]
