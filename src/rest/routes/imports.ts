import { acting } from '../../domain/acting.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { inertText } from '../../lib/html.ts'
import { preload } from '../../lib/lazy.ts'
import { problemText } from '../../lib/problem-text.ts'
import { importParameters } from '../../schema/import.ts'

// Loaded file by file: all at once would hold the event loop for too long.
preload(() => import('../../calendar/calendar-zones.ts'))
preload(() => import('../../imports/calendar/entry-reader.ts'))
preload(() => import('../../imports/table/import-table.ts'))
preload(() => import('../../imports/sent-file.ts'))

/** Imports a calendar or a table from the request body or from an address. */
export const importEndpoint: Endpoint = {
  name: 'events.import',
  manyTransactions: true,
  answers: 'ImportReport',
  methods: ['POST'],
  path: '/import',
  access: 'signed-in',
  parameters: importParameters,
  upload: true,
  takes: ['text/calendar', 'text/csv', 'text/plain'],
  async handle({ scope, language, query, body, file }) {
    // Loaded on first use, for a faster start.
    const { importSent } = await import('../../imports/sent-file.ts')
    const { notes, ...counts } = await importSent(acting(scope, 'import'), {
      query,
      body,
      file: async () => (await file()).bytes,
    })
    const told = notes.map(({ line, uid, problem }) => ({
      line,
      uid: inertText(uid),
      message: inertText(problemText(language, problem)),
    }))
    return { body: { ...counts, notes: told } }
  },
}
