import type * as Yaml from 'yaml'
import type { Site } from '../../domain/scope.ts'
import type { Call, Endpoint } from '../../http/endpoint.ts'
import { refuse } from '../../lib/errors.ts'
import { lazyPackage } from '../../lib/lazy.ts'
import { runInSlices } from '../../lib/time-slices.ts'
import { declare, readFields } from '../../schema/field.ts'
import * as types from '../../schema/value-types.ts'
import { describing } from '../openapi.ts'
import { writeYaml } from '../yaml.ts'

const yaml = lazyPackage<typeof Yaml>('yaml')

const parameters = declare('documentation', {
  format: { kind: types.oneOf('json', 'yaml'), default: 'json' as const },
})

/** Limit on cached documents per format. Each is for one language and address; YAML has a megabyte. */
const MAX_KEPT = 8

/** Machine-readable documentation of the interface. */
export function documentationEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  const documents = new Made<object>()
  const texts = new Made<Buffer>()
  const documentOf = ({ addresses, language, scope }: Call) =>
    documents.get(scope.site, `${addresses.rest} ${language}`, () =>
      runInSlices(describing(endpoints(), addresses, scope.site, language)),
    )
  const yamlOf = (call: Call) =>
    texts.get(call.scope.site, `${call.addresses.rest} ${call.language}`, async () => {
      const write = (value: unknown) => yaml().stringify(value, { aliasDuplicateObjects: false })
      return Buffer.from(await runInSlices(writeYaml(await documentOf(call), write)))
    })
  return {
    name: 'documentation.get',
    answers: 'Document',
    methods: ['GET'],
    path: '/doc',
    access: 'anyone',
    parameters,
    async handle(call) {
      const { values, problems } = readFields(parameters, call.query(), { mode: 'query', reading: { today: '' } })
      refuse(problems)
      if (values.format !== 'yaml') return { body: await documentOf(call) }
      return { body: await yamlOf(call), headers: { 'content-type': 'application/yaml; charset=utf-8' } }
    },
  }
}

/** Cache that builds each document once, also for concurrent requests. */
class Made<T> {
  readonly #made = new Map<string, Promise<T>>()
  #site: Site | null = null

  get(site: Site, key: string, make: () => Promise<T>): Promise<T> {
    // Examples depend on its time zone and currency.
    if (site !== this.#site) this.#made.clear()
    this.#site = site
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const oldest = this.#made.keys().next().value
    if (this.#made.size >= MAX_KEPT && oldest !== undefined) this.#made.delete(oldest)
    const making = make()
    this.#made.set(key, making)
    making.catch(() => this.#made.delete(key))
    return making
  }
}
