import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { type Made, makeEvents, TAGS } from './calendar.ts'
import { faultsOf, JUDGES, type Judge } from './judges.ts'

const HOST = 'calendar.example.org'
const LAST_YEAR = 2037

/** Feeds of many events; those of single events are added. */
const FEEDS = [
  '/events.ics',
  `/events.ics?start_date=1970-01-01&end_date=${LAST_YEAR}-12-31`,
  '/events/category/zones.ics?start_date=2031-01-01&end_date=2031-12-31',
  ...TAGS.flatMap((tag) => [
    `/tag/${tag}.ics`,
    `/tag/${tag}.ics?start_date=2024-01-01&end_date=${LAST_YEAR}-12-31`,
    `/tag/${tag}.ics?start_date=1980-01-01&end_date=1999-12-31`,
  ]),
]

interface File {
  readonly path: string
  readonly url: string
  /** The events in it. */
  readonly uids: readonly string[]
}

describe('feeds as other programs read them', { skip: ON_POSTGRES && 'needs one database only' }, () => {
  let service: Service
  let folder: string
  let made: ReadonlyMap<string, Made>
  const named: File[] = []
  /** The same with names of zones that nobody knows: a program must read their descriptions. */
  const unnamed: File[] = []

  before(async () => {
    service = await startService()
    folder = mkdtempSync(join(tmpdir(), 'kalends-judges-'))
    const events = await makeEvents(service)
    made = new Map(events.map((event) => [`event-${event.id}@${HOST}`, event]))
    const alone = events.filter((_, n) => n % 23 === 0).map(({ slug }) => `/event/${slug}.ics`)
    for (const [n, url] of [...FEEDS, ...alone].entries()) {
      const { statusCode, body } = await service.inject({ url })
      assert.equal(statusCode, 200, url)
      const uids = [...body.matchAll(/^UID:(event-.*)\r$/gm)].map(([, uid = '']) => uid)
      const write = (files: File[], name: string, text: string) => {
        files.push({ path: join(folder, name), url, uids })
        writeFileSync(join(folder, name), text)
      }
      if (uids.length === 0) continue
      write(named, `${n}.ics`, body)
      write(unnamed, `${n}-unnamed.ics`, body.replace(/^(TZID:|DT(?:START|END);TZID=)/gm, '$1Unknown/'))
    }
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  /** What a program reads otherwise; null if it is not installed. */
  function compare(judge: Judge, all: readonly File[]): string[] | null {
    const files = all.filter(({ uids }) => uids.every((uid) => isInTimeOf(judge, made.get(uid))))
    assert.ok(files.length > all.length / 3)
    const read = judge.read(files.map(({ path }) => path))
    if (read === null) return null
    return files.flatMap(({ path, url, uids }) => {
      const events = read[path] ?? []
      assert.deepEqual(events.map(({ uid }) => uid).sort(), uids.toSorted(), `${judge.name} reads ${url}`)
      return events.flatMap((event) =>
        faultsOf(judge, event, made.get(event.uid), all === named).map((fault) => `${url}: ${fault}`),
      )
    })
  }

  for (const judge of JUDGES) {
    const check = (files: readonly File[]) => (test: { skip(reason: string): void }) => {
      const wrong = compare(judge, files)
      if (wrong === null) return test.skip(`it is not installed (${judge.from})`)
      assert.deepEqual(wrong.slice(0, 20), [], `${judge.name} reads ${wrong.length} values otherwise`)
    }
    it(`are the same events for ${judge.name}`, check(named))
    it(
      `describe their zones to ${judge.name}`,
      { skip: !judge.readsZones && 'it does not read VTIMEZONE' },
      check(unnamed),
    )
  }
})

function isInTimeOf({ lastYear }: Judge, event: Made | undefined): boolean {
  if (lastYear === undefined || event === undefined) return true
  return typeof event.start !== 'number' || event.start < Date.UTC(lastYear + 1, 0) / 1000
}
