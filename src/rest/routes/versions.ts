import { getWithPlan, restoreEvent, restoreLinked } from '../../domain/version-restoring.ts'
import * as versions from '../../domain/versions.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts'
import { readVersion, versionListParameters, versionPath } from '../../schema/audit.ts'
import { isLinkedKind, RECORD_KINDS, type RecordKind } from '../../schema/linked.ts'
import { responseName } from '../../schema/responses.ts'
import { singleLinkedRecord } from '../present.ts'
import { versionEntry, versionHead } from '../present-audit.ts'
import { revisionOf, singleAnswer } from '../rendered/rendered-events.ts'
import { byId } from './lookup.ts'

/** Names the fields that could not be brought back. */
const MISSING_HEADER = 'x-not-restored'

async function restore(kind: RecordKind, call: Call): Promise<Answer> {
  const { scope, addresses, id } = call
  const version = readVersion(call.slug)
  if (!isLinkedKind(kind)) {
    const { shown, missing } = await restoreEvent(scope, { id }, version, ifMatchCheck(call, revisionOf))
    return withMissing(singleAnswer(call, shown), missing)
  }
  const check = ifMatchCheck(call, (shown: { row: { revision: number } }) => String(shown.row.revision))
  const { shown: linked, missing } = await restoreLinked(scope, kind, { id }, version, check)
  const body = singleLinkedRecord(kind, linked, addresses, scope.site.timezone)
  return withMissing({ revision: String(linked.row.revision), body }, missing)
}

function withMissing(answer: Answer, missing: readonly string[]): Answer {
  return missing.length === 0
    ? answer
    : { ...answer, headers: { ...answer.headers, [MISSING_HEADER]: missing.join(', ') } }
}

/** Versions of a kind of record: list, read and bring back. */
function endpointsOf(kind: RecordKind): Endpoint[] {
  const plural = `${kind}s`
  const path = `/${plural}/:id/versions`
  return [
    {
      name: `${plural}.versions`,
      answers: 'Versions',
      methods: ['GET'],
      path,
      access: 'signed-in',
      parameters: { ...byId.parameters, ...versionListParameters },
      async handle({ scope, id, query }) {
        const { entries, hasOriginal, total, pages } = await versions.list(scope, kind, { id }, query, 'bounded')
        const shown = [...entries.map(versionEntry), ...(hasOriginal ? [versionEntry(null)] : [])]
        return { body: { versions: shown, total, total_pages: pages }, secret: true }
      },
    },
    {
      name: `${plural}.version`,
      answers: 'Version',
      methods: ['GET'],
      path: `${path}/:version`,
      access: 'signed-in',
      parameters: { ...byId.parameters, ...versionPath },
      async handle(call) {
        const { found, missing } = await getWithPlan(call.scope, kind, { id: call.id }, readVersion(call.slug))
        const { entry, fields, now } = found
        return { body: { ...versionHead(entry), fields, now, not_restorable: missing }, secret: true }
      },
    },
    {
      name: `${plural}.restore-version`,
      answers: isLinkedKind(kind) ? responseName(kind) : 'Event',
      methods: ['POST'],
      path: `${path}/:version/restore`,
      access: 'signed-in',
      parameters: { ...byId.parameters, ...versionPath },
      handle: (call) => restore(kind, call),
    },
  ]
}

export const versionEndpoints = RECORD_KINDS.flatMap(endpointsOf)
