import type { Check } from '../../domain/scope.ts'
import * as terms from '../../domain/terms.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import { type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { type Fields, optional } from '../../schema/field.ts'
import {
  categoryFields,
  categoryListParameters,
  type TermKind,
  tagFields,
  tagListParameters,
} from '../../schema/term.ts'
import { listAnswer } from '../list-response.ts'
import { term } from '../present.ts'
import { byId } from './lookup.ts'

/** Checks `If-Match`, and shows the term as a read does. */
function beforeUpdate(call: Call): Check<terms.Term> {
  const check = ifMatchCheck(call, terms.revisionOf)
  return (row) => {
    check?.(row)
    return term(row, call.addresses)
  }
}

/** Categories and tags: list, create, read, change and remove. */
function endpointsOf(kind: TermKind, plural: string, fields: Fields, listParameters: Fields): Endpoint[] {
  const path = `/${plural}/:id`
  const name = kind === 'category' ? 'Category' : 'Tag'
  const single = (call: Call, row: terms.Term) => ({ revision: terms.revisionOf(row), body: term(row, call.addresses) })
  return [
    {
      name: `${plural}.list`,
      answers: `${name}List`,
      methods: ['GET'],
      path: `/${plural}`,
      access: 'anyone',
      parameters: listParameters,
      async handle(call) {
        const { rows, ...page } = await terms.list(call.scope, kind, call.query)
        const items = rows.map((row) => term(row, call.addresses))
        return listAnswer(call, items, { name: plural, pastEnd: 'term-archive-page-not-found', ...page })
      },
    },
    {
      name: `${plural}.create`,
      answers: name,
      methods: ['POST'],
      path: `/${plural}`,
      access: 'signed-in',
      parameters: fields,
      async handle(call) {
        const row = await terms.create(call.scope, kind, call.body)
        return {
          ...single(call, row),
          status: 201,
          headers: { location: `${call.addresses.rest}/${plural}/${row.id}` },
        }
      },
    },
    {
      name: `${plural}.get`,
      answers: name,
      methods: ['GET'],
      path,
      access: 'anyone',
      parameters: byId.parameters,
      handle: async (call) => single(call, await terms.get(call.scope, kind, call.id)),
    },
    {
      name: `${plural}.update`,
      answers: name,
      methods: UPDATE,
      path,
      access: 'signed-in',
      parameters: { ...byId.parameters, ...optional(fields) },
      handle: async (call) =>
        single(call, await terms.update(call.scope, kind, call.id, call.body, beforeUpdate(call))),
    },
    {
      name: `${plural}.remove`,
      answers: name,
      methods: ['DELETE'],
      path,
      access: 'signed-in',
      parameters: byId.parameters,
      handle: async (call) =>
        single(call, await terms.remove(call.scope, kind, call.id, ifMatchCheck(call, terms.revisionOf))),
    },
  ]
}

export const termEndpoints = [
  ...endpointsOf('category', 'categories', categoryFields, categoryListParameters),
  ...endpointsOf('tag', 'tags', tagFields, tagListParameters),
]
