/** The texts of the widget: it comes in one file, so they come with it. */
export const TEXTS = {
  en: {
    label: 'Events',
    loading: 'Loading events…',
    none: 'No events here yet.',
    nothing: 'Nothing on this day.',
    failed: 'The events could not be loaded.',
    retry: 'Try again',
    more: 'More events',
    all: 'Whole calendar',
    today: 'Today',
    previous: 'Previous month',
    next: 'Next month',
    whole: 'All day',
    until: 'until {day}',
    now: 'Still on',
    featured: 'Featured',
    free: 'Free',
    one: '{count} event',
    many: '{count} events',
  },
  fr: {
    label: 'Événements',
    loading: 'Chargement des événements…',
    none: 'Aucun événement pour l’instant.',
    nothing: 'Rien ce jour-là.',
    failed: 'Les événements n’ont pas pu être chargés.',
    retry: 'Réessayer',
    more: 'Plus d’événements',
    all: 'Tout le calendrier',
    today: 'Aujourd’hui',
    previous: 'Mois précédent',
    next: 'Mois suivant',
    whole: 'Toute la journée',
    until: 'jusqu’au {day}',
    now: 'En ce moment',
    featured: 'À la une',
    free: 'Gratuit',
    one: '{count} événement',
    many: '{count} événements',
  },
  de: {
    label: 'Veranstaltungen',
    loading: 'Veranstaltungen werden geladen …',
    none: 'Noch keine Veranstaltungen.',
    nothing: 'An diesem Tag ist nichts.',
    failed: 'Die Veranstaltungen konnten nicht geladen werden.',
    retry: 'Noch einmal versuchen',
    more: 'Mehr Veranstaltungen',
    all: 'Ganzer Kalender',
    today: 'Heute',
    previous: 'Voriger Monat',
    next: 'Nächster Monat',
    whole: 'Ganztägig',
    until: 'bis {day}',
    now: 'Läuft noch',
    featured: 'Empfohlen',
    free: 'Eintritt frei',
    one: '{count} Veranstaltung',
    many: '{count} Veranstaltungen',
  },
  es: {
    label: 'Eventos',
    loading: 'Cargando eventos…',
    none: 'Todavía no hay eventos.',
    nothing: 'Nada en este día.',
    failed: 'No se pudieron cargar los eventos.',
    retry: 'Intentar de nuevo',
    more: 'Más eventos',
    all: 'Todo el calendario',
    today: 'Hoy',
    previous: 'Mes anterior',
    next: 'Mes siguiente',
    whole: 'Todo el día',
    until: 'hasta el {day}',
    now: 'En curso',
    featured: 'Destacado',
    free: 'Gratis',
    one: '{count} evento',
    many: '{count} eventos',
  },
}

/** The locale that the service has for English, and the clock and week that it has set, as extensions of a locale. */
const ENGLISH = '/* english */'
/** @type {string} */
const SETTINGS = '/* settings */'

/** The locale of a language tag, by the settings of the service. @param {string} tag @param {Language} language */
export function localeOf(tag, language) {
  const known = Intl.DateTimeFormat.supportedLocalesOf(tag === 'en' ? ENGLISH : tag)[0] ?? language
  return SETTINGS === '' ? known : `${new Intl.Locale(known).baseName}-u-${SETTINGS}`
}

/** @typedef {keyof typeof TEXTS} Language */
/** @typedef {keyof typeof TEXTS.en} TextKey */

/** The first of some language tags that there are texts for, and its language. @param {readonly string[]} tags @returns {[tag: string, language: Language]} */
export function chooseLanguage(tags) {
  for (const tag of tags) {
    const language = tag.slice(0, 2).toLowerCase()
    if (/^[a-z]{2}(-[a-z0-9-]+)?$/i.test(tag) && language in TEXTS) return [tag, /** @type {Language} */ (language)]
  }
  return ['en', 'en']
}
