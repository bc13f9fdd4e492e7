import { event } from '../rest/present-event.ts'
import { type Format, inPieces } from './feed.ts'

/** Events as the REST interface shows them. */
export const restJson: Format = {
  extension: 'json',
  label: 'JSON',
  type: 'application/json; charset=utf-8',
  feedsOf: [],
  isExport: true,
  period: 'all',
  async *write({ events, addresses, site }) {
    yield `{"events":[${events.total === 0 ? '' : '\n'}`
    yield* inPieces(events, (one) => JSON.stringify(event(one, addresses, site)), ',\n')
    yield '\n]}\n'
  },
}
