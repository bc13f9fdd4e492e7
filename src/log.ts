import { hostname } from 'node:os'
import pino, { type Logger, type LoggerOptions } from 'pino'
import type { Config } from './config.ts'
import { once } from './lib/lazy.ts'
import { readableLine } from './lib/log-line.ts'
import { LogOutput } from './lib/log-output.ts'
import { withoutSecrets } from './lib/secrets.ts'

/** Logger on standard output: JSON, or one readable line on a terminal. Secrets are removed. */
export function createLogger({ logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options: LoggerOptions = {
    level,
    serializers: {
      req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({
        method,
        url: withoutSecrets(url),
        ip,
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  }
  const output = logOutput()
  const isTerminal = process.stdout.isTTY === true
  if (logFormat === 'json' || (logFormat === 'auto' && !isTerminal)) return pino(options, output)
  return pino(options, { write: (line) => output.write(readableLine(line, isTerminal && !process.env.NO_COLOR)) })
}

/** The log output, shared by the whole process. */
const logOutput = once(
  () =>
    new LogOutput((dropped) => {
      const line = { level: pino.levels.values.warn, time: Date.now(), pid: process.pid, hostname: hostname(), dropped }
      return `${JSON.stringify({ ...line, msg: 'log lines were dropped' })}\n`
    }),
)

/** Flushes the log, with a timeout for a reader that is stuck. */
export function drainLog(patience = 1000): Promise<void> {
  return logOutput().drain(patience)
}
