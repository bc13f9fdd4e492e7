import { AppError } from '../lib/errors.ts'
import { splitUrl } from './call.ts'
import { type Endpoint, MAIN_MOUNT } from './endpoint.ts'

/** Throws 405 for a known path with an unsupported method, else 404. */
export function throwNoRoute(endpoints: readonly Endpoint[], url: string): never {
  const [path] = splitUrl(url)
  const methods = endpoints.filter((endpoint) => matchesPath(path, endpoint)).flatMap((endpoint) => endpoint.methods)
  if (methods.length === 0) throw new AppError('rest_no_route')
  const allow = methods.join(', ')
  throw new AppError('rest_method_not_allowed', { fill: { methods: allow }, headers: { allow } })
}

function matchesPath(path: string, endpoint: Endpoint): boolean {
  const pattern = endpoint.path.replace(':id', '\\d+').replace(':slug', '[^/]+').replace(/^\/$/, '')
  return new RegExp(`^${MAIN_MOUNT}${pattern}/?$`).test(path)
}
