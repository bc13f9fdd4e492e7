import { stringify } from 'yaml'
import { refuse } from '../../lib/errors.ts'
import { declare, readFields } from '../../schema/field.ts'
import * as kinds from '../../schema/kinds.ts'
import type { Endpoint } from '../endpoint.ts'
import { openApi } from '../openapi.ts'

const parameters = declare('documentation', {
  format: { kind: kinds.oneOf('json', 'yaml'), default: 'json' as const },
})

/** The documentation of the interface, for machines. */
export function documentationEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  return {
    name: 'documentation.get',
    answers: 'Document',
    methods: ['GET'],
    path: '/doc',
    access: 'anyone',
    parameters,
    async handle({ query, addresses, language, scope }) {
      const { values, problems } = readFields(parameters, query(), { mode: 'query', reading: { today: '' } })
      refuse(problems)
      const body = openApi(endpoints(), addresses, scope.site, language)
      if (values.format !== 'yaml') return { body }
      return {
        body: stringify(body, { aliasDuplicateObjects: false }),
        headers: { 'content-type': 'application/yaml; charset=utf-8' },
      }
    },
  }
}
