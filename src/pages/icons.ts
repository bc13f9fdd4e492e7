import { html, type Markup, safe } from '../lib/markup.ts'

/** Drawn on a square of 24, in the colour of the text beside them. */
const PATHS = {
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3.5 9h17M3.5 15h17M12 3c2.5 2.4 3.7 5.4 3.7 9s-1.2 6.600-3.7 9c-2.500-2.400-3.700-5.400-3.700-9s1.200-6.600 3.700-9Z',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7.500V12l3 2',
  pin: 'M12 21s7-6.200 7-11.500a7 7 0 1 0-14 0C5 14.800 12 21 12 21ZM12 12a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM2.500 20c.5-3.500 3-5.500 6.500-5.500s6 2 6.500 5.500M16 4.300a3.500 3.500 0 0 1 0 6.400M18 15c2 .8 3.200 2.500 3.500 5',
  ticket:
    'M3 8a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v2a2 2 0 0 0 0 4v2a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-2a2 2 0 0 0 0-4V8ZM14 6v12',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.700-5.700l-1.700 1.700M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.700 5.700l1.700-1.700',
  calendar: 'M5 5h14a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2ZM3 10h18M8 3v4M16 3v4',
  share: 'M12 15V3m0 0L8 7m4-4 4 4M5 12v7a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-7',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16.200 16.200 21 21',
  lock: 'M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1ZM8 11V8a4 4 0 0 1 8 0v3',
  star: 'm12 3.500 2.600 5.400 5.900.800-4.300 4.100 1 5.900L12 16.900l-5.200 2.800 1-5.900L3.500 9.700l5.900-.800L12 3.500Z',
  back: 'm14 6-6 6 6 6',
  forward: 'm10 6 6 6-6 6',
  feed: 'M5 19a1 1 0 1 0 0-.1M4 11a9 9 0 0 1 9 9M4 4a16 16 0 0 1 16 16',
  filter: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 4.500v5M8 14.500v5',
  close: 'm7 7 10 10M17 7 7 17',
  tag: 'M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9-9-9ZM8 8v.1',
  phone:
    'M6 3h3l1.500 5L8 9.500a13 13 0 0 0 6.500 6.500L16 13.500l5 1.500v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3Z',
  mail: 'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1ZM3.500 6.500 12 13l8.500-6.500',
} as const

/** A small picture that repeats what the words beside it say. */
export function icon(name: keyof typeof PATHS): Markup {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${safe(PATHS[name])}"/></svg>`
}
