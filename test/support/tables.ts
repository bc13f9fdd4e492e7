/** How a table is written: by which octets, and with which separator. */
export const ENCODINGS = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text: string) => Buffer.from(`\ufeff${text}`),
  'UTF-16 LE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 BE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'UTF-16 LE without a mark': (text: string) => Buffer.from(text, 'utf16le'),
  'UTF-16 BE without a mark': (text: string) => Buffer.from(text, 'utf16le').swap16(),
  'Windows-1252': (text: string) => Buffer.from(text.replaceAll('€', '\x80').replaceAll('–', '\x96'), 'latin1'),
} as const

export type Encoding = keyof typeof ENCODINGS
export const ENCODING_NAMES = Object.keys(ENCODINGS) as Encoding[]

export const SEPARATORS = [',', ';', '\t'] as const
export type CellSeparator = (typeof SEPARATORS)[number]

/** Writes rows as spreadsheets do. */
export function tableText(
  rows: readonly (readonly string[])[],
  separator: CellSeparator = ',',
  quoteAll = false,
): string {
  const cell = (text: string) =>
    quoteAll || /["\r\n,;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  return rows.map((row) => `${row.map(cell).join(separator)}\r\n`).join('')
}

/** An event as each layout can tell it. */
export interface Told {
  readonly title: string
  /** `2031-06-13`. */
  readonly day: string
  /** `19:30`; null for an event of whole days. */
  readonly from: string | null
  readonly until: string | null
  readonly lastDay: string
  readonly venue: string
  readonly category: string
}

const us = (day: string) => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}/${day.slice(0, 4)}`
const german = (day: string) => `${day.slice(8)}.${day.slice(5, 7)}.${day.slice(0, 4)}`
const british = (day: string) => `${day.slice(8)}/${day.slice(5, 7)}/${day.slice(0, 4)}`
const half = (time: string | null) => {
  if (time === null) return ''
  const hour = Number(time.slice(0, 2))
  return `${hour % 12 || 12}:${time.slice(3)}:00 ${hour < 12 ? 'AM' : 'PM'}`
}
const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** Header and row of each layout, as the program writes it. */
export const LAYOUTS: Record<string, { readonly header: string; readonly row: (told: Told) => string[] }> = {
  'our own export': {
    header: 'title,start_date,end_date,all_day,venue,categories',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, `${day} ${from ?? '00:00'}:00`, `${lastDay} ${until ?? '00:00'}:00`],
      ...[String(from === null), venue, category],
    ],
  },
  'the importer of the WordPress calendar': {
    header:
      'Event Name,Event Description,Event Excerpt,Event Start Date,Event Start Time,Event End Date,Event End Time,Time Zone,' +
      'All Day Event,Hide From Event Listings,Event Sticky in Month View,Feature Event,Event Venue Name,Event Organizer Name,' +
      'Event Show Map Link,Event Show Map,Event Cost,Event Currency Symbol,Event Currency Position,Event Category,Event Tags,' +
      'Event Website,Event Featured Image,Allow Comments,Allow Trackbacks and Pingbacks,ISO Currency Code',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, '<p>Text</p>', 'Short', day, half(from), lastDay, half(until), 'America/New_York'],
      ...[from === null ? 'TRUE' : 'FALSE', 'FALSE', 'FALSE', 'TRUE', venue, 'Guild', '1', '1', '10', '€', 'suffix'],
      ...[category, 'a tag', 'https://example.org/', '', 'TRUE', 'FALSE', 'EUR'],
    ],
  },
  'the same importer, in lower case and without "Event"': {
    header: 'name,start_date,start_time,end_date,end_time,all day event,venue_name,category',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, german(day), from ?? '', german(lastDay), until ?? ''],
      ...[from === null ? 'yes' : 'no', venue, category],
    ],
  },
  'Google Calendar': {
    header: 'Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private,Categories',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, us(day), half(from), us(lastDay), half(until), from === null ? 'True' : 'False'],
      ...['Text', venue, 'False', category],
    ],
  },
  Outlook: {
    header:
      'Subject,Start Date,Start Time,End Date,End Time,All day event,Reminder on/off,Reminder Date,Reminder Time,' +
      'Meeting Organizer,Required Attendees,Optional Attendees,Meeting Resources,Billing Information,Categories,' +
      'Description,Location,Mileage,Priority,Private,Sensitivity,Show time as',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, british(day), from === null ? '00:00:00' : `${from}:00`],
      // Whole days end at the midnight after them.
      ...[british(from === null ? nextDay(lastDay) : lastDay), from === null ? '00:00:00' : `${until}:00`],
      ...[from === null ? 'True' : 'False', 'False', '', '', 'Someone', '', '', '', '', category],
      ...['Text', venue, '', 'Normal', 'False', 'Normal', '2'],
    ],
  },
  'Outlook in German': {
    header:
      'Betreff,Beginnt am,Beginnt um,Endet am,Endet um,Ganztägiges Ereignis,Erinnerung Ein/Aus,Kategorien,Beschreibung,Ort,Privat,Vertraulichkeit',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, german(day), from === null ? '00:00:00' : `${from}:00`],
      ...[german(from === null ? nextDay(lastDay) : lastDay), from === null ? '00:00:00' : `${until}:00`],
      ...[from === null ? 'Wahr' : 'Falsch', 'Aus', category, 'Text', venue, 'Falsch', 'Normal'],
    ],
  },
  'Outlook in French': {
    header: 'Objet,Début,Début,Fin,Fin,Journée entière,Rappel actif/inactif,Catégories,Description,Emplacement,Privé',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, british(day), from === null ? '00:00:00' : `${from}:00`],
      ...[british(from === null ? nextDay(lastDay) : lastDay), from === null ? '00:00:00' : `${until}:00`],
      ...[from === null ? 'Vrai' : 'Faux', 'Faux', category, 'Text', venue, 'Faux'],
    ],
  },
  'Outlook in Spanish': {
    header:
      'Asunto,Fecha de comienzo,Comienzo,Fecha de finalización,Finalización,Todo el día,Categorías,Descripción,Ubicación,Privado',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[title, british(day), from === null ? '0:00:00' : `${from}:00`],
      ...[british(from === null ? nextDay(lastDay) : lastDay), from === null ? '0:00:00' : `${until}:00`],
      ...[from === null ? 'Verdadero' : 'Falso', category, 'Text', venue, 'Falso'],
    ],
  },
  Eventbrite: {
    header:
      'Event ID,Event Name,Event Start Date,Event Start Time,Event End Date,Event End Time,Event Timezone,Event Status,Venue Name,Event Category,Event URL',
    row: ({ title, day, from, until, lastDay, venue, category }) => [
      ...[`9${day.replaceAll('-', '')}`, title, day, from ?? '', lastDay, until ?? '', 'America/New_York', 'Live'],
      ...[venue, category, 'https://www.eventbrite.example/e/1'],
    ],
  },
}
