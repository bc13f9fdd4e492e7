import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import tls from 'node:tls'
import { SiteClient } from '../../src/imports/site/site-client.ts'
import { FetchRefused, isPublic, refuseForbidden, safeFetch, safePost, safeRequest } from '../../src/lib/safe-fetch.ts'
import { type RecordingServer, startRecording } from '../support/recording-server.ts'

const LIMITS = { allowedHosts: [], mostBytes: 10_000, timeout: 10_000 }

/** Special ranges: first and last address. */
const CLOSED: Record<string, readonly [first: string, last: string]> = {
  'this network, 0/8': ['0.0.0.0', '0.255.255.255'],
  'private, 10/8': ['10.0.0.0', '10.255.255.255'],
  'shared by carriers, 100.64/10': ['100.64.0.0', '100.127.255.255'],
  'loopback, 127/8': ['127.0.0.0', '127.255.255.255'],
  'link-local, 169.254/16': ['169.254.0.0', '169.254.255.255'],
  'private, 172.16/12': ['172.16.0.0', '172.31.255.255'],
  'protocol assignments, 192.0.0/24': ['192.0.0.0', '192.0.0.255'],
  'documentation, 192.0.2/24': ['192.0.2.0', '192.0.2.255'],
  '6to4 relays, 192.88.99/24': ['192.88.99.0', '192.88.99.255'],
  'private, 192.168/16': ['192.168.0.0', '192.168.255.255'],
  'benchmarks, 198.18/15': ['198.18.0.0', '198.19.255.255'],
  'documentation, 198.51.100/24': ['198.51.100.0', '198.51.100.255'],
  'documentation, 203.0.113/24': ['203.0.113.0', '203.0.113.255'],
  'multicast, 224/4': ['224.0.0.0', '239.255.255.255'],
  'reserved, 240/4': ['240.0.0.0', '255.255.255.255'],
  'unspecified and loopback': ['::', '::1'],
  'IPv4 compatible': ['::8.8.8.8', '::7f00:1'],
  'IPv4 mapped': ['::ffff:8.8.8.8', '::ffff:7f00:1'],
  'IPv4 translated': ['::ffff:0:8.8.8.8', '::ffff:0:7f00:1'],
  'NAT64, 64:ff9b::/96': ['64:ff9b::', '64:ff9b::ffff:ffff'],
  'local NAT64, 64:ff9b:1::/48': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  'discarded, 100::/64': ['100::', '100::ffff:ffff:ffff:ffff'],
  'Teredo, 2001::/32': ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  'benchmarks, 2001:2::/48': ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  'ORCHID, 2001:20::/28': ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  'documentation, 2001:db8::/32': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '6to4, 2002::/16': ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'documentation, 3fff::/20': ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'segment routing, 5f00::/16': ['5f00::', '5f00:ffff::'],
  'unique local, fc00::/7': ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'link-local, fe80::/10': ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'site-local, fec0::/10': ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'multicast, ff00::/8': ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
}

/** Neighbours of the special ranges, and others that anybody reaches. */
const PUBLIC = [
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0'],
  ...['192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
  ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8'],
  ...['2000::', '2001:200::', '2001:db7::', '2001:db9::', '2003::', '2606:4700::1111', '2a00:1450::1', '3ffe:ffff::'],
  '3fff:1000::',
]

/** Ways to write an IPv4 address as a host of a URL. */
function spellings(address: string): string[] {
  const parts = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (one: number) => one.toString(16)
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    parts.map((part) => `0${part.toString(8)}`).join('.'),
    parts.map((part) => `0X${hex(part)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    encodeURIComponent(address).replaceAll('.', '%2e'),
    address.replaceAll('.', '。'),
    `[::ffff:${address}]`,
    `[0:0:0:0:0:FFFF:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
  ]
}

const isForbidden = (error: unknown) => error instanceof FetchRefused && error.problem === 'fetch_forbidden'

/** Lets names have these addresses: each question takes the next answer, the last one stays. */
function answerNames(t: TestContext, answers: Record<string, readonly (readonly string[])[]>): string[] {
  const { lookup } = dns
  const asked: string[] = []
  const fake = (host: string, _: unknown, done: (error: Error | null, found: dns.LookupAddress[]) => void) => {
    const known = answers[host] ?? []
    const found = known[Math.min(asked.filter((one) => one === host).length, known.length - 1)] ?? []
    asked.push(host)
    if (found.length === 0) done(new Error('unknown name'), [])
    else
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  }
  dns.lookup = fake as unknown as typeof dns.lookup
  syncBuiltinESMExports()
  t.after(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
  })
  return asked
}

describe('a foreign address', () => {
  for (const [range, addresses] of Object.entries(CLOSED))
    it(`is not fetched if it is ${range}`, async () => {
      for (const address of addresses) {
        assert.equal(isPublic(address), false, address)
        const hosts = address.includes(':') ? [`[${address}]`, `[${address.toUpperCase()}]`] : spellings(address)
        for (const host of hosts)
          for (const url of [`http://${host}/`, `https://${host}:8443/`]) {
            await assert.rejects(safeRequest(url, LIMITS), isForbidden, url)
            await assert.rejects(safePost(url, LIMITS, {}, ''), isForbidden, url)
            await assert.rejects(refuseForbidden(url, LIMITS), isForbidden, url)
          }
      }
    })

  it('may be fetched if everybody reaches it', async () => {
    for (const address of PUBLIC) {
      assert.equal(isPublic(address), true, address)
      await refuseForbidden(`http://${address.includes(':') ? `[${address}]` : address}/`, LIMITS)
    }
    for (const text of ['', 'localhost', '8.8.8', '8.8.8.8.8', '1.1.1.1:80', '[2606::1]', 'fe80::1%1'])
      assert.ok(!isPublic(text), text)
  })

  it('is not fetched by a name that has one closed address among others', async (t) => {
    const answers = [
      ['8.8.8.8', '127.0.0.1'],
      ['10.0.0.1', '8.8.8.8'],
      ['2606:4700::1111', '::1'],
      ['8.8.8.8', '::ffff:8.8.8.8'],
    ]
    const asked = answerNames(t, Object.fromEntries(answers.map((answer, n) => [`n${n}.example`, [answer]])))
    for (const n of answers.keys()) {
      await assert.rejects(safeRequest(`http://n${n}.example/`, LIMITS), isForbidden)
      await assert.rejects(safePost(`https://n${n}.example/`, LIMITS, {}, ''), isForbidden)
      await assert.rejects(refuseForbidden(`http://n${n}.example/`, LIMITS), isForbidden)
    }
    assert.equal(asked.length, 3 * answers.length)
  })

  it('is not fetched by a name whose address changes after the check', async (t) => {
    answerNames(t, { 'turns.example': [['8.8.8.8'], ['127.0.0.1']] })
    await refuseForbidden('http://turns.example/', LIMITS)
    await assert.rejects(safePost('http://turns.example/', LIMITS, {}, ''), isForbidden)
    await assert.rejects(safeRequest('http://turns.example/', LIMITS), isForbidden)
  })

  it('is read no further than what is wanted of it', async () => {
    const server = createServer((_, response) => {
      for (let n = 0; n < 100; n++) response.write(Buffer.alloc(1000))
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const limits = { ...LIMITS, allowedHosts: [host] }
    try {
      await assert.rejects(safeFetch(`http://${host}/`, limits), { problem: 'fetch_too_large' })
      assert.equal((await safeFetch(`http://${host}/`, { ...limits, mostBytes: 100_000 })).length, 100_000)
    } finally {
      server.close()
    }
  })

  it('has a scheme of the web, and neither name nor password', async () => {
    for (const url of [
      'ftp://example.org/',
      'file:///etc/passwd',
      'http://u@example.org/',
      'http://:p@example.org/',
      'x',
      '//example.org',
    ])
      await assert.rejects(
        safeRequest(url, LIMITS),
        (error) => error instanceof FetchRefused && error.problem === 'not_a_url',
        url,
      )
  })
})

describe('a redirect', () => {
  let one: RecordingServer
  let other: RecordingServer
  const authorities = tls.getCACertificates('default')
  before(async () => {
    one = await startRecording()
    other = await startRecording()
    tls.setDefaultCACertificates([...authorities, one.certificate, other.certificate])
  })
  after(async () => {
    tls.setDefaultCACertificates(authorities)
    await one.close()
    await other.close()
  })

  const CREDENTIALS = { authorization: 'Basic c2VjcmV0', cookie: 'session=secret', 'x-token': 'secret' }
  /** Headers with credentials that the last request had. */
  const sent = (server: RecordingServer) =>
    Object.keys(server.received.at(-1)?.headers ?? {}).filter((name) => name in CREDENTIALS || /cookie/.test(name))
  const limits = () => ({ ...LIMITS, allowedHosts: ['127.0.0.1', 'localhost'] })

  it('takes credentials along to the same origin alone', async () => {
    const here = `http://127.0.0.1:${one.port}`
    const cases: [what: string, from: string, to: string, server: RecordingServer, isSent: boolean][] = [
      ['another path', here, `${here}/end`, one, true],
      ['a path alone', here, '/end', one, true],
      ['another port', here, `http://127.0.0.1:${other.port}/end`, other, false],
      ['another host', here, `http://localhost:${one.port}/end`, one, false],
      ['https', here, `https://127.0.0.1:${one.port}/end`, one, false],
      ['http after https', `https://127.0.0.1:${one.port}`, `${here}/end`, one, false],
      ['https after https', `https://127.0.0.1:${one.port}`, '/end', one, true],
      ['an address without scheme', here, `//127.0.0.1:${other.port}/end`, other, false],
    ]
    for (const [what, from, to, server, isSent] of cases) {
      one.redirects.set('/begin', to)
      const { status } = await safeRequest(`${from}/begin`, limits(), CREDENTIALS)
      assert.deepEqual([status, server.received.at(-1)?.url], [200, '/end'], what)
      assert.deepEqual(sent(server), isSent ? Object.keys(CREDENTIALS) : [], what)
    }
  })

  it('takes no credentials back that were left behind on the way', async () => {
    one.redirects.set('/begin', `http://127.0.0.1:${other.port}/between`)
    other.redirects.set('/between', `http://127.0.0.1:${one.port}/end`)
    await safeRequest(`http://127.0.0.1:${one.port}/begin`, limits(), CREDENTIALS)
    assert.deepEqual([one.received.at(-1)?.url, sent(one), sent(other)], ['/end', [], []])
  })

  it('is not followed to a closed address, to one with a password, or from a webhook', async (t) => {
    answerNames(t, { 'inside.example': [['10.0.0.1']] })
    const begin = `http://127.0.0.1:${one.port}/begin`
    const allowed = { ...LIMITS, allowedHosts: [`127.0.0.1:${one.port}`] }
    for (const to of [
      `http://127.0.0.1:${other.port}/`,
      'http://inside.example/',
      'http://[::1]/',
      'http://2130706433/',
    ]) {
      one.redirects.set('/begin', to)
      await assert.rejects(safeRequest(begin, allowed), isForbidden, to)
    }
    for (const to of [`http://u:p@127.0.0.1:${one.port}/`, 'file:///etc/passwd', 'http://']) {
      one.redirects.set('/begin', to)
      await assert.rejects(safeRequest(begin, allowed), FetchRefused, to)
    }
    const count = other.received.length
    one.redirects.set('/begin', `http://127.0.0.1:${other.port}/end`)
    assert.equal(await safePost(begin, limits(), CREDENTIALS, 'body'), 302)
    assert.equal(other.received.length, count)
  })

  it('of a site that is imported gives its password to no other origin, and none goes along for a file', async () => {
    const here = `http://127.0.0.1:${one.port}`
    const options = { credentials: { user: 'u', password: 'secret' }, pause: 0, patience: 0 }
    const client = new SiteClient(`${here}/site`, limits(), options)
    await client.answer(`${here}/plain`)
    assert.deepEqual(sent(one), ['authorization'])
    one.redirects.set('/site/events/1', `http://127.0.0.1:${other.port}/end`)
    await client.event(1)
    assert.deepEqual([other.received.at(-1)?.url, sent(other)], ['/end', []])
    await client.file(`${here}/picture.png`)
    assert.deepEqual([one.received.at(-1)?.url, sent(one)], ['/picture.png', []])
  })
})
