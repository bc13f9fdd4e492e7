import { AppError } from '../lib/errors.ts'
import { splitUrl } from './call.ts'
import { type Endpoint, MAIN_MOUNT } from './endpoint.ts'

/** Throws 405 for a known path with an unsupported method, else 404. */
export function throwNoRoute(endpoints: readonly Endpoint[], url: string): never {
  const [path] = splitUrl(url)
  const methods = endpoints.filter((endpoint) => patternOf(endpoint).test(path)).flatMap((endpoint) => endpoint.methods)
  if (methods.length === 0) throw new AppError('rest_no_route')
  const allow = methods.join(', ')
  throw new AppError('rest_method_not_allowed', { fill: { methods: allow }, headers: { allow } })
}

/** Pattern of the paths of an endpoint, with a group for each variable part. */
export function patternOf({ path }: Endpoint): RegExp {
  const parts = path.replace(/:(\w+)/g, (_, name: string) => `(?<${name}>${name === 'id' ? '\\d+' : '[^/]+'})`)
  return new RegExp(`^${MAIN_MOUNT}${parts.replace(/\/$/, '')}/?$`)
}
