import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { add } from '../../src/storage/jobs.ts'
import { type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'
import { eventually } from '../support/workers.ts'

const JOBS = '/manage/jobs'

describe('the screen of jobs', () => {
  let service: Service
  let admin: Staff
  before(async () => {
    service = await startService()
    admin = await signIn(service, 'administrator')
    await service.db.write(async (tx) => {
      await add(tx, { kind: 'send-mail', key: 'waits', payload: {}, delay: 3600 })
      await add(tx, { kind: 'send-mail', key: 'failed', payload: {} })
      await add(tx, { kind: 'run-import', key: 'runs', payload: {} })
      await add(tx, { kind: 'sweep-unused-files', key: '', payload: null, delay: 600 })
      await tx
        .updateTable('jobs')
        .set({ due_utc: null, ended_utc: 1_900_000_000, attempts: 9, error: 'Error: the <server> is away' })
        .where('key', '=', 'failed')
        .execute()
      await tx.updateTable('jobs').set({ claimed_by: 'node 1', attempts: 1 }).where('key', '=', 'runs').execute()
    })
  })
  after(() => service.close())

  const idOf = async (key: string) => {
    const row = await service.db.read((tx) =>
      tx.selectFrom('jobs').selectAll().where('key', '=', key).executeTakeFirst(),
    )
    return row?.id ?? 0
  }

  it('shows failed jobs first with their error, and buttons for all but those that run', async () => {
    const { body, statusCode } = await admin.get(JOBS)
    assert.equal(statusCode, 200)
    const rows = [...body.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([row]) => row)
    assert.equal(rows.length, 4)
    assert.match(
      rows[0] ?? '',
      /Send a letter.*failed.*>9<.*the &lt;server&gt; is away.*value="retry".*value="remove"/s,
    )
    assert.match(rows[1] ?? '', /Run an import.*running/s)
    assert.doesNotMatch(rows[1] ?? '', /<button/)
    assert.match(body, /4 jobs/)
    const recurring = rows.find((row) => /Remove unused files/.test(row)) ?? ''
    assert.match(recurring, /recurring.*value="retry"/s)
    assert.doesNotMatch(recurring, /value="remove"/)
    assert.match((await admin.get(JOBS, { 'accept-language': 'de' })).body, /Nachricht senden.*fehlgeschlagen/s)
  })

  it('names every job that the service runs, in every language', async () => {
    const running = await startService()
    try {
      running.startJobs()
      const keeper = await signIn(running, 'administrator')
      await eventually(
        async () => (await running.db.read((tx) => tx.selectFrom('jobs').select('id').execute())).length > 5,
      )
      for (const language of ['en', 'de', 'fr', 'es']) {
        const { body } = await keeper.get(JOBS, { 'accept-language': language })
        const names = [...body.matchAll(/<tr><th scope="row">([^<]*)/g)].map(([, name]) => name?.trim() ?? '')
        assert.ok(names.length > 5, `${names.length} jobs`)
        assert.deepEqual(
          names.filter((name) => /^[a-z]+-[a-z-]+$/.test(name)),
          [],
          language,
        )
      }
    } finally {
      await running.close()
    }
  })

  it('tries a failed job again, and removes one that waits', async () => {
    const failed = await idOf('failed')
    const retried = await admin.post(JOBS, { do: 'retry', job: String(failed) })
    assert.deepEqual([retried.statusCode, retried.headers.location], [303, `${JOBS}?done=job_retried`])
    const row = await service.db.read((tx) =>
      tx.selectFrom('jobs').selectAll().where('id', '=', failed).executeTakeFirstOrThrow(),
    )
    assert.ok(row.due_utc !== null && row.attempts === 0)
    const removed = await admin.post(JOBS, { do: 'remove', job: String(await idOf('waits')) })
    assert.equal(removed.headers.location, `${JOBS}?done=job_removed`)
    assert.equal(await idOf('waits'), 0)
    assert.match((await admin.get(`${JOBS}?done=job_removed`)).body, /role="status">.*The job was removed/)
  })

  it('leaves jobs alone that run, recur or do not exist', async () => {
    for (const [action, job] of [
      ['retry', await idOf('runs')],
      ['remove', await idOf('runs')],
      ['remove', await idOf('')],
      ['retry', 999_999],
      ['remove', Number.NaN],
    ] as const) {
      const { statusCode, headers } = await admin.post(JOBS, { do: action, job: String(job) })
      assert.deepEqual([statusCode, headers.location], [303, `${JOBS}?done=job_gone`])
    }
    assert.ok((await idOf('runs')) > 0 && (await idOf('')) > 0)
  })

  it('is for administrators', async () => {
    const editor = await signIn(service, 'editor')
    assert.equal((await editor.get(JOBS)).statusCode, 403)
    assert.equal((await editor.post(JOBS, { do: 'retry', job: '1' })).statusCode, 403)
    assert.doesNotMatch((await editor.get('/manage')).body, /href="[^"]*\/manage\/jobs"/)
    assert.match((await admin.get('/manage')).body, /href="[^"]*\/manage\/jobs"/)
    assert.equal((await service.inject({ url: JOBS })).statusCode, 303)
  })
})
