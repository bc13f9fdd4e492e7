import { linkedFaultsOf } from '../../domain/damage.ts'
import type { Linked, LinkedKind } from '../../domain/linked-records.ts'
import * as records from '../../domain/linked-records.ts'
import type { Check } from '../../domain/scope.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import { type Answer, type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { type Fields, optional } from '../../schema/field.ts'
import { LINKED_FIELDS, LINKED_KINDS } from '../../schema/linked.ts'
import { linkedListParameters, removeParameters } from '../../schema/record.ts'
import { responseName } from '../../schema/responses.ts'
import { listAnswer } from '../list-response.ts'
import { linkedRecord, singleLinkedRecord } from '../present.ts'
import { byId, bySlug, type Lookup } from './lookup.ts'

const revisionOf = ({ row }: Linked) => String(row.revision)

/** Checks `If-Match`, and shows the record as a read does. A damaged one is not shown. */
function beforeUpdate(kind: LinkedKind, call: Call): Check<Linked> {
  const check = ifMatchCheck(call, revisionOf)
  return (shown) => {
    check?.(shown)
    if (linkedFaultsOf(kind, shown.row) !== null) return undefined
    return linkedRecord(kind, shown, call.addresses, call.scope.site.timezone)
  }
}

/** Venues and organizers: list, create, and by id and by slug read, change and remove. */
function endpointsOf(kind: LinkedKind): Endpoint[] {
  const fields: Fields = LINKED_FIELDS[kind]
  const plural = `${kind}s`
  const name = responseName(kind)
  const single = ({ addresses, scope }: Call, shown: Linked, status = 200): Answer => ({
    status,
    ...(status === 201 && { headers: { location: `${addresses.rest}/${plural}/${shown.row.id}` } }),
    revision: revisionOf(shown),
    body: singleLinkedRecord(kind, shown, addresses, scope.site.timezone),
  })
  const one = ({ suffix, path, parameters, ref }: Lookup): Endpoint[] => [
    {
      name: `${plural}.get${suffix}`,
      answers: name,
      methods: ['GET'],
      path: `/${plural}${path}`,
      access: 'anyone',
      parameters,
      handle: async (call) => single(call, await records.get(call.scope, kind, ref(call))),
    },
    {
      name: `${plural}.update${suffix}`,
      answers: name,
      methods: UPDATE,
      path: `/${plural}${path}`,
      access: 'signed-in',
      parameters: { ...optional(fields), ...parameters },
      handle: async (call) =>
        single(call, await records.update(call.scope, kind, ref(call), call.body, beforeUpdate(kind, call))),
    },
    {
      name: `${plural}.remove${suffix}`,
      answers: name,
      methods: ['DELETE'],
      path: `/${plural}${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...removeParameters },
      handle: async (call) =>
        single(call, await records.remove(call.scope, kind, ref(call), call.query, ifMatchCheck(call, revisionOf))),
    },
  ]
  return [
    {
      name: `${plural}.list`,
      answers: `${name}List`,
      methods: ['GET'],
      path: `/${plural}`,
      access: 'anyone',
      parameters: linkedListParameters,
      async handle(call) {
        const { rows, ...page } = await records.list(call.scope, kind, call.query)
        const items = rows.map((shown) => linkedRecord(kind, shown, call.addresses, call.scope.site.timezone))
        return listAnswer(call, items, { name: plural, pastEnd: `${kind}-archive-page-not-found`, ...page })
      },
    },
    {
      name: `${plural}.create`,
      answers: name,
      methods: ['POST'],
      path: `/${plural}`,
      access: 'signed-in',
      parameters: fields,
      handle: async (call) => single(call, await records.create(call.scope, kind, call.body), 201),
    },
    ...one(byId),
    ...one(bySlug),
  ]
}

export const linkedRecordEndpoints = LINKED_KINDS.flatMap(endpointsOf)
