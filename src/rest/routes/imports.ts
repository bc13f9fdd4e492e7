import type { Endpoint } from '../../http/endpoint.ts'
import { inertText } from '../../lib/html.ts'
import { preload } from '../../lib/lazy.ts'
import { problemText } from '../../lib/problem-text.ts'
import { importParameters } from '../../schema/import.ts'

// A few files at a time: all of them at once take longer than a request may keep others waiting.
preload(() => import('../../calendar/calendar-zones.ts'))
preload(() => import('../../imports/calendar/entry-reader.ts'))
preload(() => import('../../imports/sent-file.ts'))

/** Brings the events of a calendar in: one that is sent, or one that lies at an address. */
export const importEndpoint: Endpoint = {
  name: 'events.import',
  answers: 'ImportReport',
  methods: ['POST'],
  path: '/import',
  access: 'signed-in',
  parameters: importParameters,
  upload: true,
  takes: ['text/calendar'],
  async handle({ scope, language, query, body, file }) {
    // Not with the rest: a service starts in less time without it.
    const { importSent } = await import('../../imports/sent-file.ts')
    const { notes, ...counts } = await importSent(scope, { query, body, file })
    const told = notes.map(({ line, uid, problem }) => ({
      line,
      uid: inertText(uid),
      message: inertText(problemText(language, problem)),
    }))
    return { body: { ...counts, notes: told } }
  },
}
