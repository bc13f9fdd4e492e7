import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { outlineOf } from '../../src/lib/base-map.ts'
import { frameOf } from '../../src/lib/mercator.ts'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'

describe('the map of events', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock })
    for (const [title, start, end, venue, geo_lat, geo_lng] of [
      ['Running', '2031-05-01', '2031-07-30', 'Marseille Port', 43.295, 5.374],
      ['Soon', '2031-06-15 10:00', '2031-06-15 12:00', 'Nice Beach', 43.695, 7.265],
      ['Later', '2031-07-10 10:00', '2031-07-10 12:00', 'Genoa Pier', 44.405, 8.946],
      ['Past', '2031-04-10 10:00', '2031-04-10 12:00', 'Pisa Tower', 43.723, 10.396],
    ] as const) {
      const json = { title, start_date: start, end_date: end, venue: { venue, geo_lat, geo_lng } }
      await service.expect(201, 'editor', '/events', { json })
    }
  })
  after(() => service.close())

  const get = async (search = '') => {
    const url = `/events/map/${search}`
    const { body, statusCode } = await service.inject({
      url,
      headers: { accept: 'text/html', 'accept-language': 'en' },
    })
    return { body, statusCode, places: [...body.matchAll(/<h3[^>]*><a[^>]*>([^<]*)</g)].map(([, name]) => name).sort() }
  }

  it('shows what touches the days between two dates', async () => {
    assert.deepEqual((await get()).places, ['Genoa Pier', 'Marseille Port', 'Nice Beach'])
    assert.deepEqual((await get('?start_date=2031-06-12&end_date=2031-06-20')).places, ['Marseille Port', 'Nice Beach'])
    assert.deepEqual((await get('?start_date=2031-07-01')).places, ['Genoa Pier', 'Marseille Port'])
    assert.deepEqual((await get('?start_date=2031-04-01&end_date=2031-04-30')).places, ['Pisa Tower'])
    assert.deepEqual((await get('?start_date=2032-01-01&end_date=2032-01-02')).places, [])
    assert.equal((await get('?start_date=2031-07-01&end_date=2031-06-01')).statusCode, 400)
    assert.equal((await get('?start_date=soon')).statusCode, 400)
    const { body } = await get('?start_date=2031-06-12&end_date=2031-06-20')
    assert.match(body, /<input type="date" name="start_date" value="2031-06-12">/)
    assert.match(body, /<input type="date" name="end_date" value="2031-06-20">/)
  })

  it('draws land, sea, borders and cities without asking anybody', async () => {
    const { body } = await get()
    assert.match(body, /<rect class="sea"/)
    assert.match(body, /<path class="land" d="M/)
    assert.match(body, /<path class="borders" d="M/)
    assert.match(body, /<text class="city"[^>]*>Monaco</)
    assert.doesNotMatch(body, /<image/)
  })

  it('says of a marker for several places how many they are', async () => {
    const venue = { venue: 'Nice Pier', geo_lat: 43.6951, geo_lng: 7.2651 }
    const event = { title: 'Swim', start_date: '2031-06-16 10:00', end_date: '2031-06-16 12:00', venue }
    const { id } = await service.expect(201, 'editor', '/events', { json: event })
    const { body } = await get()
    assert.match(body, /<text class="label"[^>]*>Nice [A-Z][a-z]+ \+1</)
    assert.match(body, /<text class="label"[^>]*>Genoa Pier</)
    await service.call('editor', `/events/${id}?force=true`, { method: 'DELETE' })
  })

  it('knows what is land all over the world', () => {
    const size = { width: 100, height: 100, whole: false }
    const isLand = (lat: number, lng: number, kilometres: number) => {
      const { land } = outlineOf(frameOf({ lat, lng }, { ...size, kilometres }))
      return isInside(land, 50, 50)
    }
    const dry = [
      [48.2, 16.4],
      [51.5, -0.1],
      [-1.3, 36.8],
      [64.1, -21.6],
      [-33.4, -70.6],
      [68, 179],
      [67, -178],
      [-80, 100],
      [-77, 0],
    ]
    const wet = [
      [46, -6],
      [42, 51],
      [0, 0],
      [35, 18],
      [-40, 100],
      [57, 180],
      [80, 0],
      [43, 4.6],
    ]
    for (const kilometres of [50, 100, 800, 3000]) {
      for (const [lat = 0, lng = 0] of dry)
        assert.equal(isLand(lat, lng, kilometres), true, `${lat} ${lng} ${kilometres}`)
      for (const [lat = 0, lng = 0] of wet)
        assert.equal(isLand(lat, lng, kilometres), false, `${lat} ${lng} ${kilometres}`)
    }
  })
})

/** Whether a point is inside a path of closed rings, by its winding number. */
function isInside(path: string, x: number, y: number): boolean {
  let winding = 0
  for (const ring of path.split('M').slice(1)) {
    const [first = '', steps = ''] = ring.replace('z', '').split('l')
    const numbers = (text: string) => (text.match(/-?\d+/g) ?? []).map(Number)
    let [px = 0, py = 0] = numbers(first)
    const points = [[px, py] as const]
    const moves = numbers(steps)
    for (let n = 0; n < moves.length; n += 2) {
      px += moves[n] ?? 0
      py += moves[n + 1] ?? 0
      points.push([px, py])
    }
    points.forEach(([ax, ay], n) => {
      const [bx, by] = points[(n + 1) % points.length] ?? [0, 0]
      const side = (bx - ax) * (y + 0.5 - ay) - (x + 0.5 - ax) * (by - ay)
      if (ay <= y + 0.5 && by > y + 0.5 && side > 0) winding++
      if (ay > y + 0.5 && by <= y + 0.5 && side < 0) winding--
    })
  }
  return winding !== 0
}
