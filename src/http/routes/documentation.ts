import type { Endpoint } from '../endpoint.ts'
import { openApi } from '../openapi.ts'

/** The documentation of the interface, for machines. */
export function documentationEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  return {
    name: 'documentation.get',
    methods: ['GET'],
    path: '/doc',
    access: 'anyone',
    parameters: {},
    handle: async ({ addresses, language }) => ({ body: openApi(endpoints(), addresses, language) }),
  }
}
