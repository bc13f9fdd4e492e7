import type { IncomingMessage } from 'node:http'
import findMyWay from 'find-my-way'
import { once } from '../lib/lazy.ts'
import type { Way } from '../schema/audit.ts'
import { splitUrl } from './call.ts'
import { type Endpoint, MAIN_MOUNT, type Method, type Routes, type View } from './endpoint.ts'
import { HEALTH_PATHS } from './health.ts'
import { routeLabel } from './measure.ts'

/** What a route takes as the body of a request: forms, forms with an image, or any file. */
export type Bodies = 'form' | 'record' | 'file'

/** A view or an endpoint, as the server knows it. */
export interface Route {
  /** Its pattern. */
  readonly url: string
  /** The same without the patterns of parameters, for figures. */
  readonly label: string
  readonly bodies: Bodies
  /** Names of the query parameters that it knows. */
  readonly known: ReadonlySet<string>
  /** How the audit log calls what it writes. */
  readonly way: Way
  /** Whether it reads the cookie of sessions. */
  readonly session: boolean
  readonly target: Pick<Endpoint, 'handle' | 'isRead'>
  /** Whether anybody may read it, and a read costs so little that it is done without Fastify. */
  readonly isPlain: boolean
  /** Null for a view. */
  readonly endpoint: Endpoint | null
}

/** The route of a request, and the variable parts of its path. */
export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string | undefined>>
}

type OnBodies = (error: Error | null, bodies?: Bodies | '') => void

/** Options of this router and that of Fastify. */
const OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 2000 }

/**
 * Finds the route of a request. Fastify has one route for each kind of body, which this decides: a route of Fastify takes
 * a third of a millisecond to add, and there are some two hundred addresses.
 */
export class Router {
  readonly #router
  readonly #found = new WeakMap<IncomingMessage, Match | 'too-long'>()
  readonly #loadViews: () => Promise<void>
  #hasViews = false

  constructor({ views, endpoints }: Routes) {
    this.#router = findMyWay({ ...OPTIONS, onMaxParamLength: () => {} })
    for (const endpoint of endpoints) this.#add(endpoint.methods, endpointRoute(endpoint))
    this.#loadViews = once(async () => {
      for (const view of await views()) this.#add(view.methods, viewRoute(view))
      this.#hasViews = true
    })
  }

  /** Options for Fastify, whose routes are chosen by what they take as a body. */
  readonly options = {
    ...OPTIONS,
    constraints: {
      bodies: {
        name: 'bodies',
        storage: () => {
          const routes = new Map<unknown, never>()
          return {
            get: (bodies: unknown) => routes.get(bodies) ?? null,
            set: (bodies: unknown, route: never) => void routes.set(bodies, route),
          }
        },
        validate: () => {},
        // Fastify's types do not know that it waits for a function of three parameters.
        deriveConstraint: ((request: IncomingMessage, _: unknown, done: OnBodies) =>
          this.#match(request, done)) as unknown as () => Bodies,
      },
    },
  }

  #add(methods: readonly Method[], route: Route): void {
    this.#router.on([...methods], route.url, () => {}, route)
  }

  find(method: string, url: string): Match | 'too-long' | null {
    const found = this.#router.find((method === 'HEAD' ? 'GET' : method) as Method, url)
    if (found === null) return null
    return found.store === null ? 'too-long' : { route: found.store as Route, params: found.params }
  }

  /** Tells what a request is given to Fastify as; empty if there is no route. Views are loaded when they are needed. */
  #match(request: IncomingMessage, done: OnBodies): void {
    const { method = '', url = '' } = request
    const found = this.find(method, url)
    if (found !== null || this.#hasViews || HEALTH_PATHS.includes(splitUrl(url)[0]))
      done(null, this.#take(request, found))
    else this.#loadViews().then(() => done(null, this.#take(request, this.find(method, url))), done)
  }

  #take(request: IncomingMessage, found: ReturnType<Router['find']>): Bodies | '' {
    if (found === null) return ''
    this.#found.set(request, found)
    return found === 'too-long' ? '' : found.route.bodies
  }

  /** What was found for a request that Fastify has. */
  matchOf(request: IncomingMessage): Match | 'too-long' | null {
    return this.#found.get(request) ?? null
  }
}

function viewRoute(view: View): Route {
  return {
    url: view.path,
    label: routeLabel(view.path),
    bodies: view.upload ? 'file' : 'form',
    known: new Set(view.parameters),
    way: view.way ?? 'screen',
    session: view.session === true,
    target: inSnapshot(view),
    isPlain: view.few === true,
    endpoint: null,
  }
}

function endpointRoute(endpoint: Endpoint): Route {
  const url = `${MAIN_MOUNT}${endpoint.path.replace(':id', ':id(^\\d+$)')}`
  return {
    url,
    label: routeLabel(url),
    bodies: endpoint.upload ? 'file' : 'record',
    known: new Set([...Object.keys(endpoint.parameters), '_fields']),
    way: 'rest',
    session: false,
    target: endpoint,
    isPlain: endpoint.access === 'anyone',
    endpoint,
  }
}

/** A view runs several queries within one snapshot. Not for a POST with a password: hashing takes too long. */
function inSnapshot({ handle, writes, few }: View): Pick<View, 'handle'> {
  return {
    handle: (call) => {
      if (call.method === 'POST' || writes) return handle(call)
      // Less is kept for users.
      const size = few && call.scope.user === null ? 'few' : 'many'
      return call.scope.db.snapshot((db) => handle({ ...call, scope: { ...call.scope, db } }), size)
    },
  }
}
