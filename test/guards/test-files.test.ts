import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { runFiles } from '../../scripts/test-files.ts'
import { ROOT } from '../support/sources.ts'
import { eventually } from '../support/workers.ts'

const WORKS = `
import { it } from 'node:test'
it('passes', () => {})
`
/** Never ends by itself, and has started a process that does not either; `how` is what keeps it. */
const hangs = (how: string, pidFile: string) => `
import { writeFileSync } from 'node:fs'
import { it } from 'node:test'
const { spawn } = await import('node:child_process')
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
it('begins', () => {})
it('waits', async () => { ${how} })
`

/** Starts a process as our tests do, and fails. */
const failing = (support: URL, pidFile: string) => `
import { writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { startProcess } from '${support}'
it('fails', () => {
  const child = startProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
  throw new Error('on purpose')
})
`

describe('test files', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-limit-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  /** Runs test files as the suite does, with a limit in seconds. */
  const run = (names: readonly string[], limit: number) =>
    runFiles(
      names.map((name) => ({ files: [`${name}.test.mjs`], database: '', env: {} })),
      { parallel: 4, limit, cwd: folder },
    )

  it('that fail are reported, whatever their exit code says', async () => {
    const hidden = `
import { it } from 'node:test'
process.on('exit', () => { process.exitCode = 0 })
it('fails', () => { throw new Error('on purpose') })
`
    writeFileSync(join(folder, 'hidden.test.mjs'), hidden)
    const [outcome] = await run(['hidden'], 60)
    assert.equal(outcome?.isGood, false)
  })

  it('may share a process, and one that fails fails the run', async () => {
    writeFileSync(join(folder, 'works.test.mjs'), WORKS)
    writeFileSync(join(folder, 'throws.test.mjs'), WORKS.replace('{}', "{ throw new Error('on purpose') }"))
    const files = ['works.test.mjs', 'throws.test.mjs']
    const [bad, good] = await runFiles(
      [files, ['works.test.mjs', 'works.test.mjs']].map((names) => ({ files: names, database: '', env: {} })),
      { parallel: 1, limit: 60, cwd: folder },
    )
    assert.deepEqual([bad?.isGood, bad?.tests], [false, 2])
    assert.match(bad?.output ?? '', /throws\.test\.mjs:\d+/)
    assert.equal(good?.isGood, true)
  })

  it('fail by an error that nobody catches, also without the name of its test', async () => {
    const late =
      "{ setTimeout(() => { throw new Error('too late') }); await new Promise((ended) => setTimeout(ended, 100)) }"
    const text = `${WORKS.replace('() => {}', `async () => ${late}`)}\nprocess.on('exit', () => { process.exitCode = 0 })`
    writeFileSync(join(folder, 'late.test.mjs'), text)
    for (const isLight of [true, false]) {
      const run = { files: ['late.test.mjs'], database: '', env: {} }
      const [outcome] = await runFiles([run], { parallel: 1, limit: 60, cwd: folder, isLight })
      assert.equal(outcome?.isGood, false)
      assert.match(outcome.output, /too late/)
    }
  })

  it('start processes only where those are ended in every case', () => {
    const wrong = globSync('test/**/*.ts', { cwd: ROOT }).filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return /import \{[^}]*\b(spawn|fork)\b[^}]*\} from 'node:child_process'/.test(text)
    })
    assert.deepEqual(wrong, ['test/support/processes.ts'])
  })

  it('make the suite end with 1 when it fails', async () => {
    const run = promisify(execFile)(process.execPath, ['scripts/test.ts', 'no file of this name'], { cwd: ROOT })
    await assert.rejects(run, { code: 1 })
  })

  it('end what they started when a test fails, and need no limit for that', async () => {
    const support = pathToFileURL(join(ROOT, 'test/support/processes.ts'))
    writeFileSync(join(folder, 'fails.test.mjs'), failing(support, join(folder, 'fails')))
    const [outcome] = await run(['fails'], 120)
    assert.equal(outcome?.isGood, false)
    assert.doesNotMatch(outcome.output, /did not end/)
    assert.match(outcome.output, /✖ fails/)
    await eventually(() => !isAlive(Number(readFileSync(join(folder, 'fails'), 'utf8'))))
  })

  it('are ended when they take too long, with what they started, and told as failed', async () => {
    const ways = {
      'waits-for-ever': 'await new Promise(() => {})',
      'works-for-ever': 'for (;;);',
      'ignores-signals': "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); await new Promise(() => {})",
      'leaves-a-process': '',
    }
    writeFileSync(join(folder, 'works.test.mjs'), WORKS)
    for (const [name, how] of Object.entries(ways)) {
      writeFileSync(join(folder, `${name}.test.mjs`), hangs(how, join(folder, name)))
    }
    const outcomes = await run([...Object.keys(ways), 'works'], 2)
    for (const name of Object.keys(ways)) {
      const outcome = outcomes.find(({ files }) => files[0] === `${name}.test.mjs`)
      assert.equal(outcome?.isGood, false)
      assert.match(outcome.output, new RegExp(`${name}\\.test\\.mjs did not end within 2 s`))
      const pid = Number(readFileSync(join(folder, name), 'utf8'))
      await eventually(() => !isAlive(pid))
    }
    const works = outcomes.find(({ files }) => files[0] === 'works.test.mjs')
    assert.deepEqual([works?.isGood, works?.tests], [true, 1])
  })
})

/** Whether a process runs; one that has ended and that nobody has waited for does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
