import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { finished, startProcess } from '../support/processes.ts'
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
  const runFiles = (names: readonly string[], limit: number) => {
    const { NODE_TEST_CONTEXT: _, KALENDS_TEST_LIMITED: __, ...env } = process.env
    const preload = `--import=${pathToFileURL(join(ROOT, 'scripts/test-limit.ts'))}`
    const files = names.map((name) => `${name}.test.mjs`)
    const child = startProcess(process.execPath, [preload, '--test', ...files], {
      cwd: folder,
      env: { ...env, KALENDS_TEST_LIMIT: String(limit) },
    })
    return finished(child)
  }

  it('start processes only where those are ended in every case', () => {
    const wrong = globSync('test/**/*.ts', { cwd: ROOT }).filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      return /import \{[^}]*\b(spawn|fork)\b[^}]*\} from 'node:child_process'/.test(text)
    })
    assert.deepEqual(wrong, ['test/support/processes.ts'])
  })

  it('end what they started when a test fails, and need no limit for that', async () => {
    const support = pathToFileURL(join(ROOT, 'test/support/processes.ts'))
    writeFileSync(join(folder, 'fails.test.mjs'), failing(support, join(folder, 'fails')))
    const { code, out, err } = await runFiles(['fails'], 120)
    assert.equal(code, 1)
    assert.doesNotMatch(out + err, /did not end/)
    assert.match(out, /✖ fails/)
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
    const { code, out, err } = await runFiles([...Object.keys(ways), 'works'], 2)
    assert.equal(code, 1, out + err)
    for (const name of Object.keys(ways)) {
      assert.match(out + err, new RegExp(`${name}\\.test\\.mjs did not end within 2 s`))
      assert.match(out, new RegExp(`✖ ${name}\\.test\\.mjs`))
      const pid = Number(readFileSync(join(folder, name), 'utf8'))
      await eventually(() => !isAlive(pid))
    }
    assert.match(out, /✔ passes/)
    assert.match(out, /^ℹ fail 4$/m)
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
