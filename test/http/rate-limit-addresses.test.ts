import assert from 'node:assert/strict'
import { SocketAddress } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { networkOf } from '../../src/http/rate-limit.ts'
import { isLocalHost, isLoopback } from '../../src/lib/loopback.ts'
import { clock } from '../support/calendar.ts'
import fc from '../support/property.ts'
import { basic, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

/** Addresses of one sender each, in every spelling. */
const SENDERS: readonly (readonly string[])[] = [
  [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::FFFF:192.0.2.7',
    '::ffff:c000:207',
    '0:0:0:0:0:ffff:c000:0207',
    '192.0.2.7:4711',
  ],
  ['192.0.2.8', '::ffff:c000:208'],
  [
    '2001:db8::1',
    '2001:db8::ffff:1',
    '2001:DB8:0:0:ffff::',
    '2001:0db8::1:2:3:4',
    '[2001:db8::9]:443',
    '[2001:db8::9]',
  ],
  ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0000:0001::'],
  ['2001:db8:1::1', '2001:db8:1:0:1::'],
  ['2001:db9::1'],
  ['fe80::1', 'fe80::1%eth0', 'fe80:0:0:0:1::'],
  ['0:0:5:6::1', '::5:6:7:8:1.2.3.4'],
  ['1:2:3:0::', '1:2:3::1.2.3.4'],
  ['no address', '', '999.1.1.1', '2001:db8::1::', '1.2.3.4.5', '[1.2.3.4', 'unix:'],
]

describe('the sender of requests', () => {
  it('is an IPv4 address or a /64 of IPv6, however it is written', () => {
    const names = SENDERS.map((addresses) => {
      for (const address of addresses) assert.equal(networkOf(address), networkOf(addresses[0] ?? ''), address)
      return networkOf(addresses[0] ?? '')
    })
    assert.equal(new Set(names).size, SENDERS.length, String(names))
  })

  it('has the first 64 bits of an address, and no others, in its name', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
    const address = fc.array(group, { minLength: 8, maxLength: 8 })
    const text = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(':')
    const isMapped = (groups: readonly number[]) => groups.slice(0, 5).every((one) => one === 0) && groups[5] === 0xffff
    fc.assert(
      fc.property(address, address, fc.nat({ max: 3 }), (one, rest, at) => {
        fc.pre(!isMapped(one))
        const short = new SocketAddress({ address: text(one), family: 'ipv6' }).address
        const beside = [...one.slice(0, 4), ...rest.slice(4)]
        const away = one.with(at, (one[at] ?? 0) ^ 1)
        const name = networkOf(text(one))
        assert.equal(networkOf(short), name, short)
        if (!isMapped(beside)) assert.equal(networkOf(text(beside)), name, text(beside))
        if (!isMapped(away)) assert.notEqual(networkOf(text(away)), name, text(away))
      }),
      { numRuns: times(5000, 300) },
    )
  })

  it('is this machine by an address of it, not by a name that looks like one', () => {
    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '::FFFF:127.9.9.9'])
      assert.ok(isLoopback(address), address)
    const foreign = [
      '128.0.0.1',
      '126.255.255.255',
      '::',
      '::2',
      '::ffff:128.0.0.1',
      '127.example.org',
      '127.',
      '',
      '::127.0.0.1',
    ]
    for (const address of foreign) assert.ok(!isLoopback(address), address)
    for (const host of ['localhost', 'LOCALHOST:80', 'a.localhost', '127.0.0.1:8080', '[::1]', '[::1]:80', ''])
      assert.ok(isLocalHost(host), host)
    for (const host of [
      '127.0.0.1.example.org',
      '127.example.org:80',
      'localhost.example.org',
      'notlocalhost',
      '[::2]',
    ])
      assert.ok(!isLocalHost(host), host)
  })
})

describe('limits behind a proxy', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock, settings: { rateLimit: '4', loginLimit: '2', trustProxy: '127.0.0.1' } })
  })
  after(() => service.close())

  const ask = async (from: string, authorization?: string) => {
    const headers = { 'x-forwarded-for': from, ...(authorization && { authorization }) }
    return (await service.inject({ url: '/calendar/events/v1/tags', headers })).statusCode
  }

  it('count all spellings of one sender together, and each sender apart', async () => {
    for (const addresses of SENDERS.slice(0, -1)) {
      const statuses: number[] = []
      for (let n = 0; n < 6; n++) statuses.push(await ask(addresses[n % addresses.length] ?? ''))
      assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429], String(addresses))
    }
  })

  it('count wrong passwords of one /64 together', async () => {
    const wrong = basic('editor', 'wrong')
    const sent = ['2001:db8:9::1', '2001:db8:9::2', '2001:db8:9:0:5::', '2001:db8:9:1::1']
    const statuses: number[] = []
    for (const from of sent) statuses.push(await ask(from, wrong))
    assert.deepEqual(statuses, [401, 401, 429, 401])
  })
})
