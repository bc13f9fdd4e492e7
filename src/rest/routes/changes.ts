import { toWallClock } from '../../calendar/zone.ts'
import { type Change, list, type ShownRecord } from '../../domain/changes.ts'
import type { LinkedKind } from '../../domain/linked-records.ts'
import type { Call, Endpoint } from '../../http/endpoint.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import { changeParameters } from '../../schema/change.ts'
import { singleLinkedRecord, term } from '../present.ts'
import { singleEvent } from '../present-event.ts'

/** Changes of all records since a token. */
export const changesEndpoint: Endpoint = {
  name: 'changes.list',
  answers: 'Changes',
  methods: ['GET'],
  path: '/changes',
  access: 'anyone',
  parameters: changeParameters,
  async handle(call) {
    const { changes, next, more } = await list(call.scope, call.query)
    const slice = new TimeSlice()
    const shown: object[] = []
    for (const change of changes) {
      if (slice.isOver) await slice.yield()
      shown.push(changeOf(change, call))
    }
    // On a server, more may be told at the same version of the data, when an older transaction ends.
    return { body: { changes: shown, next, more }, secret: true }
  },
}

function changeOf({ kind, id, isRemoved, modified, record }: Change, call: Call): object {
  return {
    type: kind,
    id,
    action: isRemoved ? 'removed' : 'changed',
    modified_utc: toWallClock(modified, 'UTC'),
    ...(record !== null && { record: presented(record, call.addresses, call.scope.site) }),
  }
}

/** A record as its own address shows it. */
export function presented(
  { kind, shown }: ShownRecord,
  addresses: Call['addresses'],
  site: Call['scope']['site'],
): object {
  if (kind === 'event') return singleEvent(shown, addresses, site)
  if ('row' in shown) return singleLinkedRecord(kind as LinkedKind, shown, addresses, site.timezone)
  return term(shown, addresses)
}
