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
  // It says the same for as long as the service runs: once for each language and address.
  const made = new Map<string, object>()
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
      const key = `${addresses.rest} ${language}`
      const body = made.get(key) ?? openApi(endpoints(), addresses, scope.site, language)
      made.set(key, body)
      if (values.format !== 'yaml') return { body }
      // Loaded when it is asked for: a service starts in less time without it.
      const { stringify } = await import('yaml')
      return {
        body: stringify(body, { aliasDuplicateObjects: false }),
        headers: { 'content-type': 'application/yaml; charset=utf-8' },
      }
    },
  }
}
