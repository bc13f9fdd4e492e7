import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { readConfig, SETTINGS } from '../../src/config.ts'
import { type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

interface Compose {
  readonly services: Record<string, Container>
  readonly volumes: Record<string, unknown>
}

interface Container {
  readonly build?: string
  readonly image?: string
  readonly environment?: Record<string, string>
  readonly volumes?: string[]
  readonly depends_on?: Record<string, { condition: string }>
  readonly healthcheck?: { test: string[] }
}

const VARIABLES = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
/** What the image has: no sources, which bin/kalends.js would prefer to what was built of them. */
const IN_IMAGE = ['bin', 'dist', 'i18n', 'node_modules', 'package.json', 'web']
const BUILT = ['/app/dist', '/app/node_modules']

const file = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const unknownVariables = (text: string) =>
  [...text.matchAll(/\bKALENDS_\w+/g)].map(([name]) => name).filter((name) => !VARIABLES.has(name))
/** The paths that a health check asks for. */
const askedPaths = (text: string) => [...text.matchAll(/127\.0\.0\.1[^/]*(\/\w+)/g)].map(([, path = '']) => path)

describe('the image', () => {
  const instructions = file('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  const final = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
  const valuesOf = (wanted: string, list = final) =>
    list.filter(({ name }) => name === wanted).map(({ rest }) => rest.trim())
  const copies = (list = final) =>
    valuesOf('COPY', list).map((rest) => {
      const words = rest.split(/\s+/)
      return {
        isBuilt: words[0] === '--from=build',
        sources: words.filter((word) => !word.startsWith('--')).slice(0, -1),
      }
    })

  it('sets no variable that does not exist', () => {
    assert.deepEqual(unknownVariables(file('Dockerfile')), [])
  })

  it('is made of files that exist and that .dockerignore lets in', () => {
    const admitted = file('.dockerignore').split('\n')
    const sources = copies(instructions).flatMap((copy) => (copy.isBuilt ? [] : copy.sources))
    assert.ok(sources.length > 0)
    for (const source of sources) {
      assert.ok(existsSync(join(ROOT, source)), `${source} does not exist`)
      assert.ok(admitted.includes(`!${source}`), `${source} is not in .dockerignore`)
    }
  })

  it('has what was built and what it needs to run, and nothing else', () => {
    assert.deepEqual(
      copies()
        .flatMap((copy) => (copy.isBuilt ? copy.sources : []))
        .sort(),
      BUILT,
    )
    const names = copies().flatMap((copy) => copy.sources.map((source) => source.replace('/app/', '')))
    assert.deepEqual(names.sort(), IN_IMAGE)
  })

  it('has no packages of development', () => {
    assert.ok(instructions.some(({ name, rest }) => name === 'RUN' && rest.includes('npm prune --omit=dev')))
  })

  it('runs as a user who is not root', () => {
    const user = valuesOf('USER').at(-1)
    assert.ok(user !== undefined && !/^(root|0)(:|$)/.test(user), `the user is ${user}`)
  })

  it('listens on the port it exposes, and keeps its data in the volume it declares', () => {
    const words = valuesOf('ENV').flatMap((rest) => rest.split(/\s+/))
    const config = readConfig({}, Object.fromEntries(words.map((word) => word.split('=', 2))))
    assert.deepEqual(valuesOf('EXPOSE'), [String(config.port)])
    assert.deepEqual(valuesOf('VOLUME'), [config.data])
    assert.equal(config.host, '0.0.0.0')
  })

  describe('is called healthy', () => {
    let service: Service
    before(async () => {
      service = await startService()
    })
    after(() => service.close())

    it('by asking, as the load balancer does, for what the server answers', async () => {
      const { services } = readCompose()
      const checks = [...valuesOf('HEALTHCHECK'), ...Object.values(services).map(testOf)]
      const paths = checks.flatMap(askedPaths)
      assert.ok(paths.length >= 2, `${paths} are too few`)
      for (const url of paths) assert.equal((await service.inject({ url })).statusCode, 200, url)
    })
  })
})

describe('the composition', () => {
  const { services, volumes } = readCompose()
  const nodes = Object.entries(services).filter(([, { build }]) => build !== undefined)
  const configs = nodes.map(([, { environment = {} }]) => readConfig({}, withDefaults(environment)))

  it('sets no variable that does not exist', () => {
    assert.deepEqual(unknownVariables(file('compose.yaml')), [])
  })

  it('has two nodes, on one database that is there before them', () => {
    assert.equal(nodes.length, 2)
    const addresses = new Set(configs.map(({ databaseUrl }) => databaseUrl))
    assert.equal(addresses.size, 1)
    const { hostname, username, password, pathname } = new URL([...addresses].join())
    const database = services[hostname]
    assert.match(database?.image ?? '', /^postgres:17\b/)
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = withDefaults(database?.environment ?? {})
    assert.deepEqual([username, password, pathname], [POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`])
    for (const [name, { depends_on }] of nodes)
      assert.equal(depends_on?.[hostname]?.condition, 'service_healthy', `${name} does not wait for ${hostname}`)
  })

  it('lets the nodes read from a replica that copies their database', () => {
    for (const { databaseUrl, replicaUrls } of configs) {
      const primary = new URL(databaseUrl)
      assert.equal(replicaUrls.length, 1)
      for (const url of replicaUrls) {
        const { hostname } = new URL(url)
        assert.equal(url, databaseUrl.replace(`@${primary.hostname}:`, `@${hostname}:`))
        assert.equal(services[hostname]?.image, services[primary.hostname]?.image)
        assert.equal(services[hostname]?.environment?.PRIMARY_HOST, primary.hostname)
      }
    }
  })

  it('lets the nodes share the files of images', () => {
    const shared = nodes.map(([, node]) => node.volumes?.find((volume) => volume.endsWith(':/data')))
    assert.deepEqual([...new Set(shared)], ['files:/data'])
  })

  it('has a load balancer that knows every node', () => {
    const targets = [...file('deploy/nginx.conf').matchAll(/^\s*server (\w+):(\d+)/gm)].map(([, ...target]) => target)
    assert.deepEqual(
      targets,
      nodes.map(([name], index) => [name, String(configs[index]?.port)]),
    )
    for (const { trustProxy } of configs) assert.ok(trustProxy.length > 0)
  })

  it('mounts files that exist and volumes that are declared', () => {
    for (const [source = ''] of Object.values(services).flatMap((service) => mountsOf(service))) {
      if (source.startsWith('.')) assert.ok(existsSync(join(ROOT, source)), `${source} does not exist`)
      else assert.ok(source in volumes, `${source} is no volume`)
    }
  })

  it('waits only for what has a health check', () => {
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        assert.equal(condition, 'service_healthy', `${name} on ${other}`)
        // The nodes have that of the image.
        assert.ok(services[other]?.build ?? services[other]?.healthcheck, `${name} on ${other}`)
      }
    }
  })
})

function readCompose(): Compose {
  return parse(file('compose.yaml'), { merge: true })
}

function testOf({ healthcheck }: Container): string {
  return healthcheck?.test.join(' ') ?? ''
}

function mountsOf({ volumes = [] }: Container): string[][] {
  return volumes.map((volume) => volume.split(':'))
}

/** Variables as they are where the environment sets none: `${NAME:-default}`. */
function withDefaults(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  )
}
