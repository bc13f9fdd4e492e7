import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, type TestContext } from 'node:test'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { EARLIER, makeEarlier, openRaw } from '../support/earlier-versions.ts'
import { finished, runKalends, startKalends } from '../support/processes.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { ALL, stateOf, Versions } from '../support/versions.ts'
import { eventually } from '../support/workers.ts'

/** The lock that whoever migrates PostgreSQL takes. */
const LOCK = '3853314791062309107'
/** How many migrations the database has that is brought up to date. */
const DONE = 3

/** How many events make an upgrade take seconds. */
const MANY = 77_999

interface Holder {
  release(): Promise<void>
}

/** Holds a database, as a process does that migrates it, until the test ends at the latest. */
async function hold(where: string, t: TestContext): Promise<Holder> {
  const holder = await take(where)
  let released: Promise<void> | undefined
  const release = () => {
    released ??= holder.release()
    return released
  }
  t.after(release)
  return { release }
}

async function take(where: string): Promise<Holder> {
  if (!ON_POSTGRES) {
    const file = new DatabaseSync(join(where, 'kalends.sqlite'))
    file.exec('begin immediate')
    return {
      async release() {
        file.exec('rollback')
        file.close()
      },
    }
  }
  const client = new pg.Client({ connectionString: where })
  await client.connect()
  await client.query(`select pg_advisory_lock(${LOCK})`)
  return { release: () => client.end() }
}

describe('an upgrade', () => {
  let versions: Versions
  let folder: string
  before(() => {
    versions = new Versions()
    folder = mkdtempSync(join(tmpdir(), 'kalends-upgrade-'))
  })
  after(async () => {
    await versions.drop()
    rmSync(folder, { recursive: true })
  })

  /** The settings of a process on a database. */
  const settings = (where: string): Record<string, string> => ({
    KALENDS_DATA: ON_POSTGRES ? folder : where,
    KALENDS_DATABASE_URL: ON_POSTGRES ? where : '',
    KALENDS_LOG_LEVEL: 'info',
  })

  /** Starts the service and waits until it listens. */
  const serve = async (where: string, ...args: string[]) => {
    const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1', ...args], settings(where))
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        out += data
      })
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
    await eventually(() => {
      assert.equal(child.exitCode, null, out)
      return /listening at http:\/\/[\d.:]+/.test(out)
    })
    const url = /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1] ?? ''
    const ask = async (path: string, accept = 'application/json') => {
      const response = await fetch(`${url}${path}`, { headers: { accept } })
      return { status: response.status, retry: response.headers.get('retry-after'), body: await response.text() }
    }
    return { child, closed, ask, out: () => out }
  }

  for (const args of [[], ['--workers', '2']]) {
    const how = args.length === 0 ? 'one process' : 'workers'

    it(`is waited for by ${how} that say so, and are alive and not ready meanwhile`, async (t) => {
      const where = await versions.make(DONE)
      const holder = await hold(where, t)
      const { child, closed, ask, out } = await serve(where, ...args)
      await eventually(() => /waiting for another process/.test(out()))
      assert.equal((await ask('/healthz')).status, 200)
      const ready = await ask('/readyz')
      assert.deepEqual([ready.status, JSON.parse(ready.body)], [503, { status: 'migrating' }])
      assert.ok(Number(ready.retry) > 0)
      for (const [path, accept] of [
        ['/calendar/events/v1/events', 'application/json'],
        ['/events/', 'text/html'],
        ['/events.ics', '*/*'],
      ] as const) {
        const { status, retry } = await ask(path, accept)
        assert.deepEqual([path, status, Number(retry) > 0], [path, 503, true])
      }
      await holder.release()
      await eventually(async () => (await ask('/readyz')).status === 200)
      assert.equal((await ask('/calendar/events/v1/events?start_date=2031-01-01')).status, 200)
      for (const name of ALL.slice(DONE)) assert.ok(out().includes(`migrated the database: ${name}`), name)
      child.kill('SIGTERM')
      assert.equal(await closed, 0, out())
    })

    it(`leaves the database as it was when ${how} must stop before it ends`, async (t) => {
      const where = await versions.make(DONE)
      const before = await stateOf(where)
      const holder = await hold(where, t)
      const { child, closed, out } = await serve(where, ...args)
      await eventually(() => /waiting for another process/.test(out()))
      child.kill('SIGTERM')
      assert.equal(await closed, 0, out())
      assert.doesNotMatch(out(), /^ +at /m)
      await holder.release()
      assert.deepEqual(await stateOf(where), before)
    })
  }

  for (const starters of [2, 4]) {
    for (const done of [0, DONE, EARLIER.length]) {
      it(`of a database with ${done} migrations is done once by ${starters} processes that start together`, async () => {
        const where = await versions.make(done)
        const undisturbed = await versions.copy(where)
        const results = await Promise.all(
          Array.from({ length: starters }, () => runKalends(['migrate'], settings(where))),
        )
        for (const { code, err } of results) assert.equal(code, 0, err)
        const ran = results.flatMap(({ out }) => [...out.matchAll(/^Ran (\S+)\.$/gm)].map(([, name]) => name))
        assert.deepEqual(ran.sort(), ALL.slice(done))
        assert.equal((await runKalends(['migrate'], settings(undisturbed))).code, 0)
        assert.deepEqual(await stateOf(where), await stateOf(undisturbed))
      })
    }
  }

  it('tells a person at the terminal what is waited for, and what is done', async (t) => {
    const where = await versions.make(DONE)
    const holder = await hold(where, t)
    const child = startKalends(['user', 'list'], settings(where))
    let told = ''
    child.stderr.on('data', (data) => {
      told += data
    })
    const ended = finished(child)
    await eventually(() => /^kalends: waiting for another process/m.test(told))
    await holder.release()
    const { code, out, err } = await ended
    assert.equal(code, 0, err)
    assert.match(out, /Ada/)
    for (const name of ALL.slice(DONE)) assert.match(err, new RegExp(`^kalends: migrating the database: ${name}$`, 'm'))
  })

  it('that a later version has made is refused with a sentence, and left alone', async () => {
    const where = await versions.make(EARLIER.length)
    const db = openRaw(where)
    await db.executeQuery(
      CompiledQuery.raw(`insert into kysely_migration (name, timestamp) values ('9999-later', '2040-01-01T00:00:00Z')`),
    )
    await db.destroy()
    const before = await stateOf(where)
    for (const args of [
      ['serve', '--port', '0'],
      ['serve', '--port', '0', '--workers', '2'],
      ['migrate'],
      ['user', 'list'],
    ]) {
      const { code, err } = await runKalends(args, settings(where))
      assert.equal(code, 1)
      assert.match(err, /^kalends: the database was made by a later version \(it has 9999-later\): .*\n$/)
    }
    assert.deepEqual(await stateOf(where), before)
  })

  it('of much data keeps nobody from asking whether the service is alive', {
    skip: ON_POSTGRES && 'runs elsewhere',
  }, async () => {
    const where = await versions.make(DONE)
    const db = openRaw(where)
    // Each event many times, with other words.
    const columns =
      'author,status,date_utc,modified_utc,title,title_search,timezone,start_local,end_local,start_utc,end_utc'
    await db.executeQuery(
      CompiledQuery.raw(`insert into events (id,slug,search,${columns})
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${MANY})
        select 1000 + i, 'many-' || i, 'word' || i || ' lantern harbour evening concert number ' || (i * 7919), ${columns}
        from n cross join events where events.id = 30`),
    )
    await db.destroy()
    const { child, closed, ask, out } = await serve(where)
    for (const name of ['0004-speed', '0006-words']) {
      await eventually(() => out().includes(`migrating the database: ${name}`))
      assert.equal((await ask('/healthz')).status, 200)
      assert.ok(!out().includes(`migrated the database: ${name}`), `${name} was done before anybody was answered`)
    }
    await eventually(async () => (await ask('/readyz')).status === 200)
    const found = await ask('/calendar/events/v1/events?start_date=2031-01-01&search=word77')
    assert.equal(JSON.parse(found.body).total, 1111, found.body.slice(0, 200))
    child.kill('SIGTERM')
    assert.equal(await closed, 0, out())
  })

  describe('of PostgreSQL', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
    const query = async (where: string, text: string) => {
      const client = new pg.Client({ connectionString: where })
      await client.connect()
      return client.query(text).finally(() => client.end())
    }

    it('may take longer than any request', async () => {
      const where = await versions.empty()
      await makeEarlier(where, DONE)
      await query(
        where,
        `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(11); return new; end $$;
         create trigger slow before update on event_organizers for each row execute function slow()`,
      )
      const { code, err } = await runKalends(['migrate'], settings(where))
      assert.equal(code, 0, err)
    })

    it('waits for those who use a table', async () => {
      const where = await versions.make(DONE)
      const user = new pg.Client({ connectionString: where })
      await user.connect()
      await user.query('begin')
      await user.query('select count(*) from events')
      const { child, closed, out } = await serve(where)
      await eventually(() => /migrating the database: 0004/.test(out()))
      await eventually(() => /waiting for another process/.test(out()))
      await user.query('commit')
      await eventually(() => /the database is up to date/.test(out()))
      child.kill('SIGTERM')
      assert.equal(await closed, 0)
      await user.end()
    })

    it('ends what it runs when it must stop', async () => {
      const where = await versions.make(DONE)
      const before = await stateOf(where)
      await query(
        where,
        `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
         create trigger slow before update on event_organizers for each row execute function slow()`,
      )
      const { child, closed, out } = await serve(where)
      await eventually(async () => {
        const { rows } = await query(
          where,
          `select 1 from pg_stat_activity where query like 'update "event_organizers"%'`,
        )
        return rows.length > 0
      })
      child.kill('SIGTERM')
      assert.equal(await closed, 0, out())
      const { rows } = await query(
        where,
        `select 1 from pg_stat_activity where query like 'update "event_organizers"%' and state = 'active'`,
      )
      assert.deepEqual(rows, [])
      await query(where, 'drop trigger slow on event_organizers; drop function slow()')
      assert.deepEqual(await stateOf(where), before)
    })
  })
})
