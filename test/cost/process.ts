import { startKalends } from '../support/processes.ts'
import { eventually } from '../support/workers.ts'

export interface Process {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts `kalends serve` in a process of its own on a folder or a PostgreSQL database, and waits until it listens. */
export async function startProcess(where: string, folder: string): Promise<Process> {
  const isServer = /^postgres/.test(where)
  const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1'], {
    KALENDS_DATA: isServer ? folder : where,
    KALENDS_DATABASE_URL: isServer ? where : '',
    // The longest pages that a site may allow.
    KALENDS_MAX_PER_PAGE: '500',
    KALENDS_SUGGEST: 'yes',
  })
  let out = ''
  // Its first lines are enough: it logs every request.
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      if (out.length < 10_000) out += data
    })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const stop = () => {
    child.kill()
    return closed
  }
  try {
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${out}`)
      return /listening at/.test(out)
    })
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  return { url: /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1] ?? '', pid: child.pid ?? 0, stop }
}
