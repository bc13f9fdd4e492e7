import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { createScope } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { identify } from '../../src/domain/credentials.ts'
import { TOKEN_PREFIX } from '../../src/domain/users.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { dialectOf, type Tx } from '../../src/storage/dialect.ts'
import { type Service, startService } from '../support/service.ts'
import { addressOf, freshStore, ON_POSTGRES, SERVER } from '../support/store.ts'

const skip = !ON_POSTGRES && 'needs PostgreSQL'

describe('on PostgreSQL', { skip }, () => {
  it('ten nodes that start together migrate once', async () => {
    const name = `together_${Date.now()}`
    const client = new pg.Client({ connectionString: SERVER })
    await client.connect()
    await client.query(`create database ${name}`)
    const nodes = Array.from({ length: 10 }, () => openDatabase(addressOf(name)))
    const ran = await Promise.all(nodes.map((node) => node.migrate()))
    assert.equal(ran.filter((names) => names.length > 0).length, 1)
    assert.deepEqual(await nodes[3]?.pending(), [])
    await Promise.all(nodes.map((node) => node.close()))
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })

  it('a broken connection is told as a matter of time, and the next one works', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    await service.expect(201, 'editor', '/tags', { json: { name: 'Before' } })
    const client = new pg.Client({ connectionString: SERVER })
    await client.connect()
    t.after(() => client.end())
    const { rows } = await service.db.read((tx) =>
      tx.executeQuery<{ name: string }>(CompiledQuery.raw('select current_database() as name')),
    )
    const database = rows[0]?.name
    for (let n = 0; n < 5; n++) {
      await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kalends' and datname = $1",
        [database],
      )
      const response = await service.call('editor', '/tags', { json: { name: `During ${n}` } })
      assert.ok([201, 503].includes(response.statusCode), response.body)
      if (response.statusCode === 503) assert.equal(response.headers['retry-after'], '1')
    }
    await service.expect(201, 'editor', '/tags', { json: { name: 'After' } })
  })

  it('a server that is away is told as a matter of time', async () => {
    const db = openDatabase('postgres://nobody:x@127.0.0.1:1/none')
    await assert.rejects(
      db.read(async (tx) => tx.selectFrom('users').selectAll().execute()),
      { code: 'rest_unavailable' },
    )
    await db.close()
  })

  it('a server that is away while somebody signs in with a token ends no process', async () => {
    const db = openDatabase('postgres://nobody:x@127.0.0.1:1/none')
    const scope = createScope(readConfig({}, {}), db)
    const sender = { network: '127.0.0.1', isLimited: true }
    await assert.rejects(identify(scope, { token: `${TOKEN_PREFIX}x` }, sender), { code: 'rest_unavailable' })
    // What nobody waits for fails later, and is told as a failure of this test.
    await setTimeout(500)
    await db.close()
  })

  it('a replica that is away costs nothing but its help', async () => {
    const store = await freshStore('')
    const db = openDatabase(store.where, { replicas: ['postgres://nobody:x@127.0.0.1:1/none'] })
    for (let n = 0; n < 3; n++)
      assert.deepEqual(await db.read((tx) => tx.selectFrom('terms').selectAll().execute()), [])
    await db.close()
    await store.drop()
  })

  it('opens no more connections than are set, and ends queries after the set time', async () => {
    const store = await freshStore('')
    const pool = { connections: 2, connectTimeout: 30, queryTimeout: 1, idleTimeout: 30 }
    const db = openDatabase(store.where, { pool })
    const ask = (query: string) => db.read((tx) => tx.executeQuery<{ value: string }>(CompiledQuery.raw(query)))
    const pids = await Promise.all(
      Array.from({ length: 12 }, () => ask('select pg_backend_pid()::text as value from pg_sleep(0.05)')),
    )
    assert.equal(new Set(pids.map(({ rows }) => rows[0]?.value)).size, 2)
    const { rows } = await ask("select current_setting('statement_timeout') as value")
    assert.equal(rows[0]?.value, '900ms')
    await assert.rejects(ask('select pg_sleep(30)'), { code: 'rest_unavailable' })
    await db.close()
    await store.drop()
  })

  describe('plans', () => {
    let service: Service
    const asked: { sql: string; parameters: readonly unknown[] }[] = []
    before(async () => {
      service = await startService({ onQuery: (sql, parameters) => asked.push({ sql, parameters }) })
    })
    after(() => service.close())

    it('have an index for lists, for searches and for places', async () => {
      const plans = async (query: Record<string, unknown>) => {
        asked.length = 0
        await service.expect(200, null, '/events', { query })
        const found = asked.filter(({ sql }) => sql.includes('from "events"') && sql.startsWith('select'))
        return service.db.read(async (tx) => {
          await tx.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'))
          const lines: string[] = []
          for (const { sql, parameters } of found) {
            const { rows } = await tx.executeQuery<Record<string, string>>(
              CompiledQuery.raw(`explain ${sql}`, [...parameters]),
            )
            lines.push(...rows.flatMap((row) => Object.values(row)))
          }
          return lines.join('\n')
        })
      }
      assert.match(await plans({}), /events_shown/)
      assert.match(await plans({ search: 'harbour' }), /events_search|events_shown/)
      assert.match(await plans({ geoloc_lat: 1, geoloc_lng: 1 }), /venue_places/)
    })

    it('look up the words of an event, whatever the number of words that are known', async () => {
      const run = <Row>(tx: Tx, sql: string) => tx.executeQuery<Row>(CompiledQuery.raw(sql))
      await service.db.write(async (tx) => {
        await run(tx, `insert into search_words select 'known' || n, n || 'nwonk' from generate_series(1, 20000) as n`)
        await run(tx, 'analyze search_words')
      })
      const reads = await service.db.write(async (tx) => {
        await dialectOf(tx).texts.suggest(tx, ['known7', 'lantern', 'supper'])
        const { rows } = await run<{ read: string }>(
          tx,
          `select seq_tup_read as read from pg_stat_xact_user_tables where relname = 'search_words'`,
        )
        return Number(rows[0]?.read)
      })
      assert.equal(reads, 0)
    })
  })
})
