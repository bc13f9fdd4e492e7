import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { readConfig, SETTINGS } from '../../src/config.ts'
import {
  type Container,
  file,
  imageEnvironment,
  readCompose,
  readDockerfile,
  valuesOf,
  withDefaults,
} from '../support/deploy.ts'
import { type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

const VARIABLES = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable))
/** What the image has: no sources, which bin/kalends.js would prefer to what was built of them. */
const IN_IMAGE = ['bin', 'dist', 'i18n', 'node_modules', 'package.json', 'web']
const BUILT = ['/app/dist', '/app/node_modules']

const unknownVariables = (text: string) =>
  [...text.matchAll(/\bKALENDS_\w+/g)].map(([name]) => name).filter((name) => !VARIABLES.has(name))
/** The paths that a health check asks for. */
const askedPaths = (text: string) => [...text.matchAll(/127\.0\.0\.1[^/]*(\/\w+)/g)].map(([, path = '']) => path)

describe('the image', () => {
  const { instructions, final } = readDockerfile()
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
    const user = valuesOf('USER', final).at(-1)
    assert.ok(user !== undefined && !/^(root|0)(:|$)/.test(user), `the user is ${user}`)
  })

  it('listens on the port it exposes, and keeps its data in the volume it declares', () => {
    const config = readConfig({}, imageEnvironment())
    assert.deepEqual(valuesOf('EXPOSE', final), [String(config.port)])
    assert.deepEqual(valuesOf('VOLUME', final), [config.data])
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
      const checks = [...valuesOf('HEALTHCHECK', final), ...Object.values(services).map(testOf)]
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

function testOf({ healthcheck }: Container): string {
  return healthcheck?.test.join(' ') ?? ''
}

function mountsOf({ volumes = [] }: Container): string[][] {
  return volumes.map((volume) => volume.split(':'))
}
